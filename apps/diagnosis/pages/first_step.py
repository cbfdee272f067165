"""What to do first: one step that only looks, where, what it costs, and what would speak against the verdict."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

from apps.diagnosis.models import Form
from apps.diagnosis.values import AnyDiagnosis, Finding, findings_of
from parsers.dataclass import dataclass

NODES_NAMED: Final = 3
DATES_A_LOG: Final = ["date"]
"""What only tells the year of a log decides nothing."""
CHANGES: Final = re.compile(
    r"""(?x) >(?!\s*/dev/null|&) | \| \s* tee\b | \bremount\b | \bsysctl\s+(?:\S+\s+)*-w | \bvxtunefs\s+-o
    | \b(?: dd | kill | pkill | killall | reboot | shutdown | halt | poweroff | mkfs\S* | fsck\S* | rm | umount
          | fence_\w+ | mmchconfig | mmshutdown | mmstartup | mmmount | mmumount | mmchdisk | mmchmgr | mmdelnode
          | mmexpelnode | mmfsck )\b
    | \b(?: systemctl | service )\s+(?:\S+\s+)*(?: start | stop | restart | reload | enable | disable | kill )\b
    | \b(?: pcs | crm )\s+\S+\s+(?: \S+\s+ )*(?: fence | confirm | enable | disable | restart | move | cleanup
          | standby | update | create | delete | kill | stop | start )\b
    | \bstonith_admin\b .* (?: --(?: reboot | off | on | confirm | fence | unfence | cleanup ) | \s-[BFUC]\b )
    | \bdlm_tool\s+(?: fence_ack | leave | join )
    | \bha(?: stop | start | conf | res | grp )\b (?!.* -(?: state | display | list )\b )"""
)
"""Commands that change a node or its cluster; none of them is ever the first step."""
WORD: Final = re.compile(r"[\w-]+(?:\.[\w-]+)*")
WIDE: Final = re.compile(r"mm(?:getstate|ls[a-z]+)\b")
"""Commands that tell of all of a cluster, wherever they run: never to be tried on the very node that left it."""
ANYWHERE: Final = "any node that is in the cluster"
HEAVY: Final = re.compile(r"\b(?:find|du|filefrag|fsadm|fsckptadm)\b")


@dataclass(frozen=True, slots=True)
class FirstStep:
    """For components/_first_step.html. ``against``: what would disprove the verdict, empty where nobody may read it."""

    what: str
    command: str
    where: str
    risk: str
    against: str


@dataclass(frozen=True, slots=True)
class _Step:
    """A step with its first command that only looks, the nodes that it names itself, and what it follows from (None
    where the diagnosis was made before steps held that).
    """

    why: str
    command: str
    named: list[str]
    about: list[str] | None = None

    def is_of(self, found: Finding | None) -> bool:
        return found is not None and self.about is not None and bool({found.ref, found.title} & set(self.about))


def only_looks(command: str) -> bool:
    """Whether a command leaves the node as it is."""
    return CHANGES.search(command) is None


def first_step(diagnosis: AnyDiagnosis, *, is_outside: bool = False) -> FirstStep | None:
    """The first step of the finding that the verdict speaks of; else one on its nodes, else what is to be collected.
    Nothing where nothing is wrong. Outside the team nothing is said of doubts and of what is missing.
    """
    if diagnosis.verdict_form == Form.HEALTHY:
        return None
    findings = findings_of(diagnosis)
    found = cause_of(diagnosis, findings)
    nodes = found.nodes if found else []
    known = _nodes_known(diagnosis, findings)
    against = found.disproved_by if found and not is_outside else ""
    steps = _next(diagnosis, known)
    own = [step for step in steps if step.is_of(found)]
    others = [step for step in steps if step.command and not step.is_of(found)]
    missing = [] if is_outside else _missing(diagnosis, known)
    for chosen in filter(None, (own, others, missing)):
        step, is_of_cause = _nearest(chosen, nodes, are_own=chosen is own)
        doubt = against if is_of_cause else ""  # a step of another finding is no matter of this doubt
        where = _where(step, nodes if is_of_cause else [])
        return FirstStep(
            _sentence(briefly(step.why, step.named)),
            step.command,
            where,
            _risk(step.command),
            _sentence(doubt) if doubt else "",
        )
    return None


def _where(step: _Step, nodes: list[str]) -> str:
    """The nodes that a step names; else those of its finding, save for what any node of the cluster tells."""
    if not step.named and nodes and WIDE.match(step.command):
        return ANYWHERE
    return names(step.named or nodes)


def _nearest(steps: list[_Step], nodes: Collection[str], *, are_own: bool) -> tuple[_Step, bool]:
    """The first step on one of the nodes, else the first that may be done there; and whether it is about the cause."""
    there = [step for step in steps if not set(step.named).isdisjoint(nodes)]
    free = [step for step in steps if are_own or (not step.about and not (step.named and nodes))]
    step = (there or free or steps)[0]
    return step, are_own or (not step.about and bool(there or free))


def _next(diagnosis: AnyDiagnosis, known: Collection[str]) -> list[_Step]:
    """Those that change nothing: with a command that only looks, or words alone."""
    return [
        _Step(step["why"], command, _named_in(step["why"], known), step.get("about"))
        for step in diagnosis.summary.get("next_steps", ())
        if (command := _safe(step["commands"])) or not step["commands"]
    ]


def _missing(diagnosis: AnyDiagnosis, known: Collection[str]) -> list[_Step]:
    return [
        _Step(f"Collect {one['what']}", command, [one["node"]] if one["node"] else _named_in(one["what"], known))
        for one in diagnosis.summary.get("missing", ())
        if (command := _safe(one["commands"])) and one["commands"] != DATES_A_LOG
    ]


def cause_of(diagnosis: AnyDiagnosis, findings: list[Finding]) -> Finding | None:
    """The finding that the verdict speaks of."""
    if not diagnosis.verdict_ref:
        return None
    return next((one for one in findings if one.ref == diagnosis.verdict_ref), None)


def _nodes_known(diagnosis: AnyDiagnosis, findings: list[Finding]) -> Collection[str]:
    """Nodes of files, of findings, and at the ends of waits, in this order."""
    of_files = [node["name"] for node in diagnosis.summary.get("nodes", ())]
    ends = [root["what"] for root in diagnosis.summary.get("roots", ()) if root["kind"] == "node"]
    return dict.fromkeys([*of_files, *(name for finding in findings for name in finding.nodes), *ends])


def _named_in(text: str, known: Collection[str]) -> list[str]:
    """Nodes that a step names itself: where it is to be done, whoever else waits, also if no file is of that node."""
    words = set(WORD.findall(text))
    return [name for name in known if name in words]


def names(nodes: list[str]) -> str:
    """The first names, and how many more there are."""
    shown, left = nodes[:NODES_NAMED], len(nodes) - NODES_NAMED
    return f"{', '.join(shown)} and {left} more" if left > 0 else ", ".join(shown)


def briefly(text: str, nodes: Collection[str]) -> str:
    """A text in which a long list of nodes is cut as above; the step itself keeps it whole."""
    places = sorted((match.start(), match[0]) for match in WORD.finditer(text) if match[0] in nodes)
    if len(places) <= NODES_NAMED + 1:
        return text
    begin, end = places[0][0], places[-1][0] + len(places[-1][1])
    between = WORD.sub(lambda match: "" if match[0] in nodes else match[0], text[begin:end])
    if between.replace(",", "").split() not in ([], ["and"]):
        return text  # they are no list
    return f"{text[:begin]}{names([name for _, name in places])}{text[end:]}"


def _safe(commands: list[str]) -> str:
    return next((command for command in commands if only_looks(command)), "")


def _risk(command: str) -> str:
    if not command:
        return ""
    if HEAVY.search(command):
        return "Reads much and changes nothing: run it at a quiet time."
    return "Low: it only reads."


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."
