"""A rule on clusters whose only fencing waits for a person (ST-71)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from apps.diagnosis.engine.core.facts.settings import Settings
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.core.words.metrics import setting
from parsers.dataclass import dataclass

AGENTS: Final = setting("agents-of-fencing")
AGENT: Final = re.compile(r"(?:.*class=stonith.*\btype=)?(?P<name>(?:fence_|external/)?[a-z][\w/-]{1,40})$")
BY_HAND: Final = frozenset(("fence_manual", "meatware", "null", "fence_null", "fence_dummy", "external/ssh", "ssh"))
SHOWN: Final = 4


@dataclass(frozen=True, slots=True)
class ByHandWords:
    """Agents of all devices."""

    agents: tuple[str, ...]


@rule("ST-71", needs=(Settings,), words=ByHandWords)
def fencing_by_hand(settings: Settings, _: Limits) -> Iterator[Seen]:
    """Symptom: after a node failed, everything stands still until somebody comes.

    Reasoning: each fencing device that the configuration names has an agent that does nothing by itself.
    Source: fence_manual(8), meatware of cluster-glue.
    """
    found = {one.ref: match["name"] for one in settings.shown(AGENTS) if (match := AGENT.match(one.value))}
    agents = {ref: name for ref, name in found.items() if "=" not in name}
    if agents and BY_HAND.issuperset(agents.values()):
        yield Seen(
            level="only",
            words=ByHandWords(tuple(dict.fromkeys(agents.values()))),
            lines=list(agents)[:SHOWN],
            borne_by=(len(agents), len(agents)),
        )
