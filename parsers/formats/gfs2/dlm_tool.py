"""``dlm_tool ls [-n]``, ``dlm_tool status``, ``dlm_tool lockdump``.

::

    dlm lockspaces                                          cluster nodeid 2 quorate 1 ring seq 88 88
    name          projects                                  daemon now 51234 fence_pid 0
    id            0x7be9f2a1                                node 2 M add 120 rem 0 fail 0 fence 0 at 0 0
    flags         0x00000004 kern_stop                      node 4 X add 120 rem 812 fail 812 fence 0 at 0 0
    change        member 3 joined 1 remove 0 failed 0 seq 1,1
    members       1 2 4                                     id 02450009 gr PR rq IV pid 7312 master 3 "       2
    2c1f0"
    new change    member 2 joined 0 remove 1 failed 1 seq 2,3
    new status    wait fencing
    new members   1 2

Yields ``Membership``: of a lock space its members, its flags and what it waits for as state, ``seq`` as generation;
``Quorum`` and a ``ClusterMember`` for each node of ``status``. ``DlmLock`` of ``lockdump``, where no queue is printed:
a lock with two modes is converting or was refused it; it is converting where another lock of the text on its resource
is granted in a mode that keeps it out. ``NodeAlias`` for the own id. Seconds of ``status`` count from
the start of the system. Tolerated: any order, lines left out. Source: dlm_tool of dlm 4.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import Final

from parsers.formats.gfs2.dlm_names import lockspace_in, resource_name
from parsers.output import Output
from parsers.records import Event, NodeAlias
from parsers.records.locks import DlmLock
from parsers.records.states import ClusterMember, GroupStanding, Membership, NodeStanding, Quorum
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.rows import lines_of

_LS_CLAIM: Final = r"dlm lockspaces$"
_LABELS: Final = r"(?:name|id|flags|change|members|new change|new status|new members|all nodes)"
_LS_OWNS: Final = rf"{_LS_CLAIM}|{_LABELS}(?: {{1,14}}|$)|nodeid \d{{1,10}} member "
_LABEL = re.compile(rf"(?P<label>{_LABELS})(?: {{1,14}}(?P<value>\S.{{0,2000}}))?$")
_FLAGS = re.compile(r"0x[0-9a-f]{1,8}(?: (?P<words>[a-z_,]{1,80}(?: [a-z_,]{1,40}){0,8}))?$")
_WAITS = re.compile(r"\bwait (?P<what>[a-z]{3,20})\b")
_AWAITED: Final = ("fencing", "quorum", "messages", "ringid")
_SEQ = re.compile(r"\bseq (?P<seq>\d{1,10},\d{1,10})")
_NODE = re.compile(r"nodeid (?P<node>\d{1,10}) (?P<state>member [01] .{0,200})$")

_STATUS_CLAIM: Final = r"cluster nodeid \d{1,10} quorate [01]|daemon now \d{1,12} fence_pid"
_STATUS_OWNS: Final = (
    rf"{_STATUS_CLAIM}|stateful_merge_wait=|fence_pid \d{{1,10}}$|fence \d{{1,10}} "
    r"|node \d{1,10} (?:[MX] |[A-Z] add )"
)
_CLUSTER = re.compile(
    r"cluster nodeid (?P<node>\d{1,10}) quorate (?P<quorate>[01])(?: ring seq (?P<ring>\d{1,12} \d{1,12}))?"
)
_STATE = re.compile(r"node (?P<node>\d{1,10}) (?P<state>(?:[MX] |[A-Z] add ).{0,200})$")
_FENCE = re.compile(r"fence (?P<node>\d{1,10}) ")

_DUMP_LINE: Final = r"id [0-9a-f]{8} gr \S{2} rq \S{2} pid \d"
_DUMPED = re.compile(
    r"id (?P<id>[0-9a-f]{8}) gr (?P<held>\S{2}) rq (?P<asked>\S{2}) pid (?P<pid>\d{1,10}) "
    r"(?P<side>master|MSTCPY) (?P<node>\d{1,10}) \"(?P<name>[^\"]{0,80})\""
)
KEPT_OUT: Final = {
    "CR": frozenset(("EX",)),
    "CW": frozenset(("PR", "PW", "EX")),
    "PR": frozenset(("CW", "PW", "EX")),
    "PW": frozenset(("CW", "PR", "PW", "EX")),
    "EX": frozenset(("CR", "CW", "PR", "PW", "EX")),
}
"""By mode, those of other locks that keep a request for it out."""


@parser("dlm_tool_ls", version=3, product="gfs2", claims=_LS_CLAIM, owns=_LS_OWNS, commands=("dlm_tool",))
def dlm_tool_ls(section: OpenSection, out: Output) -> None:
    """``dlm_tool ls``: lock spaces, their members and what they wait for."""
    space: dict[str, str] = section.state.setdefault("space", {})
    for line in section:
        text = line.text.strip()
        match = _LABEL.match(text)
        if match and match["label"] == "name":
            _add_space(section, out, space)
            space.clear()
            space |= {"name": match["value"] or "", "line": str(line.number)}
        elif match and match["value"] and space:
            space[match["label"]] = match["value"].strip()
            if match["label"] == "new status" and _WAITS.search(match["value"]):
                space["line"] = str(line.number)  # the line that says so
        elif (node := _NODE.match(text)) and space:
            out.add(_standing_of(section, line.number, node["node"], node["state"], "dlm_tool ls -n", of=space["name"]))
            if (check := _CHECK.search(node["state"])) is not None:
                space.setdefault("new status", f"wait {check[1]}")
        elif match is None and not text.startswith("dlm lockspaces"):
            out.skip(line, "no label of a lock space")
    _add_space(section, out, space)
    space.clear()


_CHECK: Final = re.compile(r"\bcheck (fencing|quorum|fs|messages)\b")
"""What the lock space waits for before it goes on without a node."""


def _add_space(section: OpenSection, out: Output, space: dict[str, str]) -> None:
    """One record when all lines of a lock space are there."""
    if not space:
        return
    words = _FLAGS.match(space.get("flags", ""))
    state = [word for word in (words["words"] if words else None, space.get("new status")) if word]
    change = space.get("new change") or space.get("change", "")
    seq = _SEQ.search(change)
    text = "; ".join(state) or ("normal" if "members" in space else None)
    waits = _WAITS.search(text or "")
    section.add(
        Membership,
        int(space["line"]),
        source="dlm_tool ls",
        sort="lock space",
        group=space["name"],
        generation=seq["seq"] if seq else None,
        members=" ".join(space.get("members", "").split()),
        state=text,
        standing=_standing(text),
        waits_for=_whole(waits[1]) if waits else None,
    )


def _whole(word: str) -> str:
    """What is waited for, where the text was cut within the word."""
    return next((one for one in _AWAITED if one.startswith(word)), word)


def _standing(state: str | None) -> GroupStanding:
    if state is None:
        return "unknown"
    return "waiting" if "wait" in state else "stopped" if "kern_stop" in state else "normal"


def _standing_of(
    section: OpenSection, line: int, member: str, state: str, source: str, of: str | None = None
) -> ClusterMember:
    words, standing = _words_of(state)
    return ClusterMember(
        line=line,
        node=section.node,
        at=section.at,
        zone_min=section.zone_min,
        source=source,
        member=member,
        layer="locks",
        of=of,
        state=words,
        standing=standing,
    )


_FAILED_AT = re.compile(r"\bfail (?P<failed>\d{1,12}) fence (?P<fenced>\d{1,12})\b")


def _words_of(state: str) -> tuple[str, NodeStanding]:
    """What a row says of a node. One that left a lock space unmounted it; one that failed later than it was fenced is
    still to be fenced.
    """
    if state.startswith(("member 1", "M ")):
        return "member", "up"
    times = _FAILED_AT.search(state)
    if "check fence" in state or (times and int(times["failed"]) > int(times["fenced"])):
        return "failed and not fenced", "unclean"
    if "failed 1" in state or (times and int(times["failed"])):
        return "failed", "down"
    return ("not a member", "down") if state.startswith("X ") else ("no member of it", "unknown")


@parser("dlm_tool_status", version=4, product="gfs2", claims=_STATUS_CLAIM, owns=_STATUS_OWNS, commands=("dlm_tool",))
def dlm_tool_status(section: OpenSection, out: Output) -> None:
    """``dlm_tool status``: quorum, and the state of every node; fencing that goes on."""
    for line in section:
        text = line.text.strip()
        if cluster := _CLUSTER.match(text):
            if section.node is not None:
                section.add(NodeAlias, line.number, alias=cluster["node"], kind="id")
            section.add(
                Quorum,
                line.number,
                source="dlm_tool status",
                group="cluster",
                generation=cluster["ring"],
                state=f"quorate {cluster['quorate']}",
                quorate=cluster["quorate"] != "0",
            )
        elif node := _STATE.match(text):
            out.add(_standing_of(section, line.number, node["node"], node["state"], "dlm_tool status"))
        elif fence := _FENCE.match(text):
            section.add(
                Event,
                line.number,
                source="dlm_tool status",
                kind="fence-pending",
                about=fence["node"],
                text=text,
            )
        elif text.startswith(("daemon now", "stateful_merge_wait=", "fence_pid ")):
            out.ignore()
        else:
            out.skip(line, "no node with its state")


@parser(
    "dlm_lockdump", version=3, product="gfs2", claims=_DUMP_LINE, owns=r"id [0-9a-f]{8} gr ", commands=("dlm_tool",)
)
def dlm_lockdump(section: OpenSection, out: Output) -> None:
    """``dlm_tool lockdump``: one line per lock."""
    space = (lockspace_in(section.command.text) if section.command else None) or lockspace_in(section.path)
    if space is not None and section.scope is None:
        section.speaks_of(scope=space)
    open_ones: list[tuple[int, re.Match[str]]] = []
    modes = defaultdict[str, list[str]](list)
    for line, match in lines_of(section, out, _DUMPED, "the line of a lock is cut or damaged"):
        held, requested = _mode(match["held"]), _mode(match["asked"])
        if held and requested:
            open_ones.append((line.number, match))
        else:
            _add_dumped(section, line.number, match, space, "granted" if held else "waiting")
        if held in KEPT_OUT:
            modes[match["name"]].append(held)
    for number, match in open_ones:
        barred = KEPT_OUT.get(match["asked"], frozenset())
        held_ones = modes[match["name"]]
        is_kept_out = any(one in barred and held_ones.count(one) > (one == match["held"]) for one in set(held_ones))
        _add_dumped(section, number, match, space, "converting" if is_kept_out else None)


def _add_dumped(section: OpenSection, number: int, match: re.Match[str], space: str | None, queue: str | None) -> None:
    """One lock of a dump."""
    copy = match["side"] == "MSTCPY"
    section.add(
        DlmLock,
        number,
        source="lockdump",
        lockspace=space,
        resource=resource_name(match["name"]),
        lkb=int(match["id"], 16),
        master=0 if copy else int(match["node"]),
        owner_node=int(match["node"]) if copy else 0,
        pid=int(match["pid"]),
        granted=_mode(match["held"]),
        requested=_mode(match["asked"]),
        queue=queue,
    )


def _mode(text: str) -> str | None:
    return text if text not in ("IV", "--") else None
