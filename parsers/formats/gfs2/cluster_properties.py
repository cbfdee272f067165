"""``pcs property``, ``crm configure show`` and ``crm_attribute``: options of a Pacemaker cluster.

    Cluster Properties: cib-bootstrap-options            property cib-bootstrap-options: \\
      no-quorum-policy=freeze                                    no-quorum-policy=freeze \\
      stonith-enabled: false                                     stonith-enabled=false

Yields ``Setting`` for each option, and ``FencingSwitch`` for ``stonith-enabled``. No times. Tolerated: any order, any
option in lower case. Source: pacemaker-schedulerd(7), pcs(8).
"""

from __future__ import annotations

import re
from typing import Final, Literal

from parsers.output import Output
from parsers.records import FencingSwitch, Setting
from parsers.registry import parser
from parsers.sections import OpenSection

_KNOWN: Final = (
    r"(?:stonith-[a-z-]{4,24}|no-quorum-policy|cluster-infrastructure|cluster-name|dc-version|have-watchdog"
    r"|maintenance-mode|symmetric-cluster|cluster-recheck-interval|concurrent-fencing|start-failure-is-fatal"
    r"|cluster-delay|priority-fencing-delay|fence-reaction|last-lrm-refresh|enable-acl|shutdown-lock"
    r"|batch-limit|migration-limit|node-health-strategy|placement-strategy|startup-fencing|default-resource-stickiness)"
)
_TITLE: Final = r"(?:Cluster Properties:|property (?:\$id=\S{1,60}|[\w.-]{1,60}:)\s{0,8}\\?$)"
_PAIR = re.compile(
    r"(?P<name>[a-z][a-z0-9-]{2,60})\s{0,4}[=:]\s{0,4}\"?(?P<value>[^\"\\\s][^\"\\]{0,200}?)\"?\s{0,4}\\?$"
)
_SWITCH: Final[dict[str, Literal["on", "off"]]] = {
    "false": "off", "no": "off", "off": "off", "0": "off", "true": "on", "yes": "on", "on": "on", "1": "on",
}  # fmt: skip


@parser(
    "cluster_properties",
    version=1,
    product="gfs2",
    claims=rf"(?:{_TITLE}|{_KNOWN}\s{{0,4}}[=:]\s{{0,4}}\S)",
    owns=rf"(?:{_TITLE}|[a-z][a-z0-9-]{{2,60}}\s{{0,4}}[=:]\s{{0,4}}\S)",
    commands=("pcs", "crm", "crm_attribute"),
)
def cluster_properties(section: OpenSection, out: Output) -> None:
    """``pcs property``: options of the cluster."""
    for line in section:
        text = line.text.strip()
        pair = _PAIR.match(text)
        if re.match(_TITLE, text):
            out.frame()
        elif pair is None:
            out.skip(line, "no option with its value")
        else:
            section.add(Setting, line.number, source="pcs property", name=pair["name"], value=pair["value"])
            if pair["name"] == "stonith-enabled":
                section.add(
                    FencingSwitch,
                    line.number,
                    source="pcs property",
                    state=f"{pair['name']}={pair['value']}",
                    standing=_SWITCH.get(pair["value"].lower(), "unknown"),
                )
