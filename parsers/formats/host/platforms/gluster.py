"""What Gluster says of its volumes and hosts: ``gluster volume status``, ``volume heal VOLUME info``, ``peer status``,
``pool list``.

    Status of volume: pond                                      Brick carp2:/bricks/b1/pond
    Gluster process             TCP Port  RDMA Port  Online  Pid       Status: Connected
    Brick carp2:/bricks/b1/pond 49152     0          Y       1811      /mail/a.mbox - Is in split-brain
    Self-heal Daemon on carp2   N/A       N/A        N       N/A       Number of entries: 1
    Hostname: carp3             State: Peer in Cluster (Disconnected)  8f1c-... carp3 Disconnected

Yields ``StorageState`` of each brick (one that is off, not reached, or waits for a heal is degraded; one with files in
split brain is failed) and ``ClusterMember`` of each host. No times. Tolerated: a name broken before its figures.
Source: the administrator's guide of Gluster, and cli/src/cli-rpc-ops.c and cli-cmd-volume.c.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.headings.node_banners import looks_like_host
from parsers.ledger import Fate
from parsers.output import Output
from parsers.records import Event
from parsers.records.states import ClusterMember, HealthStanding, StorageState
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.rows import Row, Rows, everyday, heading
from parsers.text import Line

_TOOL: Final = "gluster"
_HOST: Final = r"[A-Za-z0-9][\w.-]{0,127}"
_BRICK: Final = rf"{_HOST}:/\S{{1,300}}"
_FIGURES: Final = r"(?:(?:\d{1,6}|N/A)\s{1,20}){1,2}(?P<online>[YN])\s{1,12}(?:\d{1,9}|N/A)"


def _rebalanced(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """Files that could not be moved lie where the layout of the volume no longer looks first."""
    failures, state = match["failures"], match["state"]
    is_wrong = state == "failed" or failures != "0"
    section.add(
        StorageState,
        line.number,
        node=None if match["host"] == "localhost" else match["host"],
        source=_TOOL,
        sort="volume",
        name=section.state.get("volume") or "that is rebalanced",
        state=f"rebalance {state}" + (f", {failures} files failed" if failures != "0" else ""),
        standing="degraded" if is_wrong else "healthy" if state == "completed" else "hint",
    )


def _volume(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state["volume"] = match["volume"]


def _brick(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    _put_brick(section, line.number, match["brick"], "online" if match["online"] == "Y" else "offline")


def _host(brick: str) -> str | None:
    """The host that a brick is on: its name begins with it."""
    host, mark, path = brick.partition(":")
    return host if mark and path.startswith("/") and looks_like_host(host) else None


def _put_brick(section: OpenSection, line: int, brick: str, state: str, standing: HealthStanding | None = None) -> None:
    section.add(
        StorageState,
        line,
        node=_host(brick) or section.node,
        source=_TOOL,
        sort="brick",
        name=brick,
        of=section.state.get("volume"),
        state=state,
        standing=standing or ("degraded" if state == "offline" else "healthy"),
    )


def _rest(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    if (brick := section.state.pop("broken", None)) is not None:
        _put_brick(
            section, line.number, f"{brick}{match['rest'] or ''}", "online" if match["online"] == "Y" else "offline"
        )


def _healed(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state.update(healed=match["brick"], broken=match["brick"], split=False, lost="")


def _middle(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """A further part of a name that was broken more than once."""
    if (brick := section.state.get("broken")) is not None:
        section.state["broken"] = f"{brick}{match[0]}"


def _crawled(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state["crawled"] = match["host"]


def _left(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """What the last pass of the self-heal daemon could not heal, of a brick that has no name there."""
    count, is_split = match["count"], match["what"].endswith("split-brain")
    host = section.state.get("crawled")
    what = "files in split brain" if is_split else "files that could not be healed"
    section.add(
        StorageState,
        line.number,
        node=host or section.node,
        source=_TOOL,
        sort="brick",
        name=f"of {host}" if host else "of the crawl",
        state=f"{count} {what}",
        standing="healthy" if count == "0" else "failed" if is_split else "degraded",
    )


def _status(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state["lost"] = "" if match["state"] == "Connected" else match["state"]


def _split(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state["split"] = True


def _entries(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    state = section.state
    brick = state.get("healed")
    if brick is None:
        return
    count = match["count"]
    is_split = state.get("split") or (match["split"] is not None and count not in ("0", "-"))
    if is_split:
        _put_brick(section, line.number, brick, f"{count} files in split brain", "failed")
    elif state.get("lost"):
        _put_brick(section, line.number, brick, f"not reached: {state['lost']}", "degraded")
    elif count not in ("0", "-"):
        _put_brick(section, line.number, brick, f"{count} files wait for a heal", "degraded")
    else:
        _put_brick(section, line.number, brick, "nothing to heal", "healthy")


def _peer(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    _put_peer(section, line.number, match["host"], match["state"])


def _host_of_peer(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state["peer"] = match["host"]


def _state_of_peer(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """The host stands above it; in a list that lost its beginning it is the node of the section."""
    host = section.state.pop("peer", None) or section.node
    if host is not None:
        _put_peer(section, line.number, host, match["state"])


def _put_peer(section: OpenSection, line: int, host: str, state: str) -> None:
    section.add(
        ClusterMember,
        line,
        source=_TOOL,
        member=host,
        layer="membership",
        state=state.lower(),
        standing="up" if state == "Connected" else "down",
    )


def _no_daemon(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    text = line.text.strip()
    section.add(Event, line.number, source=_TOOL, kind="gluster-no-daemon", weight="trouble", text=text[:_TEXT_KEPT])


_TEXT_KEPT: Final = 400
_ROWS: Final = Rows(
    Row("volume", r"(?:Status of|Task Status of) [Vv]olume:? (?P<volume>\S{1,128})$", _volume, fate=Fate.FRAME),
    heading("columns", r"Gluster process\s{1,80}(?:TCP )?Port\s", r"UUID\s{10,60}Hostname\s{1,60}State$"),
    Row("brick", rf"Brick (?P<brick>{_BRICK})\s{{1,80}}{_FIGURES}$", _brick),
    Row("brick that is healed", rf"Brick (?P<brick>{_BRICK})$", _healed, fate=Fate.FRAME),
    everyday(
        "daemon of a host",
        r"(?:Self-heal Daemon|NFS Server|Quota Daemon|Bitrot Daemon|Scrubber Daemon|Snapshot Daemon) on "
        rf"{_HOST}\s{{1,80}}(?:(?:\d{{1,6}}|N/A)\s{{1,20}}){{1,2}}[YN]\s",
        r"There are no active volume tasks",
        r"Task {1,20}: ",
        opens=False,
    ),
    Row(
        "status of a brick",
        r"Status: (?P<state>Connected|Transport endpoint is not connected|\S.{2,80})$",
        _status,
        fate=Fate.FRAME,
        opens=False,
    ),
    Row("file in split brain", r"(?:/|<gfid:).{0,400} - Is in split-brain$", _split, fate=Fate.FRAME, opens=False),
    Row(
        "entries",
        r"Number of entries(?P<split> in split-brain)?: (?P<count>\d{1,12}|-)$",
        _entries,
        opens=False,
    ),
    everyday("file", r"(?:/\S|<gfid:).{0,400}$", opens=False),
    Row("rest of a brick", rf"(?:(?P<rest>(?!N/A\s)\S{{1,200}})\s{{1,80}})??{_FIGURES}$", _rest, opens=False),
    heading("number of peers", r"Number of Peers: \d{1,5}$"),
    everyday(
        "id", r"Uuid: [0-9a-f]{4,12}-[0-9a-f-]{14,30}$", r"[0-9a-f]{8}-[0-9a-f-]{27}\s{1,40}localhost\s{1,60}Connected$"
    ),
    Row("host of a peer", rf"Hostname: (?P<host>{_HOST})$", _host_of_peer, fate=Fate.FRAME, opens=False),
    Row("state of a peer", r"State: Peer .{1,60} \((?P<state>\S[^()]{0,60})\)$", _state_of_peer),
    Row("state of a host", r"State: .{1,60} \((?P<state>\S[^()]{0,60})\)$", _state_of_peer, opens=False),
    Row(
        "daemon that does not answer",
        r"Connection failed\. Please check if gluster daemon is operational\.",
        _no_daemon,
    ),
    Row(
        "peer of a list",
        rf"[0-9a-f]{{8}}-[0-9a-f-]{{27}}\s{{1,40}}(?P<host>{_HOST})\s{{1,60}}"
        r"(?P<state>Connected|Disconnected)$",
        _peer,
    ),
    Row("ruler", r"-{20,200}$", fate=Fate.FRAME, opens=False),
    Row(
        "what was not healed",
        r"No\. of (?P<what>entries in split-brain|heal failed entries): (?P<count>\d{1,12})$",
        _left,
    ),
    Row("host of a crawl", rf"Hostname of brick (?P<host>{_HOST})$", _crawled, fate=Fate.FRAME, opens=False),
    everyday(
        "crawl",
        r"(?:Starting|Ending) time of crawl: |Type of crawl: (?:INDEX|FULL)|No\. of entries healed: \d"
        r"|Crawl statistics for brick no \d|Crawl is in progress|Gathering crawl statistics",
    ),
    Row("title of a rebalance", r"Node\s{1,40}Rebalanced-files\s{1,40}size\s", fate=Fate.FRAME),
    Row(
        "files moved on a host",
        rf"(?P<host>{_HOST})\s{{1,80}}\d{{1,12}}\s{{1,40}}[\d.]{{1,12}} ?(?:[KMGTP]B|Bytes)\s{{1,40}}"
        r"\d{1,12}\s{1,40}"
        r"(?P<failures>\d{1,12})\s{1,40}\d{1,12}\s{1,40}(?P<state>completed|failed|stopped|in progress|not started)\b",
        _rebalanced,
    ),
    Row("answer to a request", r"volume [a-z-]{3,20}: \S{1,128}: success\b", fate=Fate.EVERYDAY),
    Row("middle of a broken name", r"[\w./-]{8,200}$", _middle, fate=Fate.FRAME, opens=False),
)


@parser(
    "gluster",
    version=5,
    product="storage",
    rows=_ROWS,
    commands=(_TOOL,),
    places=r"\bgluster (?:volume|vol|peer|pool)\b",
    names_hosts=True,
)
def gluster(section: OpenSection, out: Output) -> None:
    """``gluster volume status``, ``heal info``, ``peer status``: bricks and hosts."""
    _ROWS.read(section, out, "no row of Gluster")
