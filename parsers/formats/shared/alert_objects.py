"""Alerts of Prometheus and its Alertmanager in JSON: what a receiver is sent, and what their interfaces answer. No
parser of its own.

    {"status": "firing", "labels": {"alertname": "PathDown", "instance": "perch2:9100", "severity": "critical"},
     "annotations": {"summary": "2 paths of mpatha are down"}, "startsAt": "2031-11-02T02:11:09Z"}

An alert that fires is an ``Event`` at its severity, as in a mail; one that was resolved a healthy ``HealthState``.
Labels close before the alert that they belong to, so they are kept until then. Source: Alertmanager, its webhook;
recalled.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from parsers.formats.host.logs.levelled import Levelled
from parsers.formats.host.logs.monitor_mails import level_of, put_service, put_well
from parsers.grammars.json_walk import Opened, Scalar
from parsers.sections.reader import OpenSection

_PORT: Final = re.compile(r":\d{1,5}$")
_BEGAN: Final = ("startsat", "activeat")
_OVER: Final = ("resolved", "inactive")
_STATES: Final = ("firing", "pending", "active", "suppressed", "unprocessed", *_OVER)
_WORDS: Final = ("summary", "description", "message")
_HOSTS: Final = ("instance", "node", "host", "hostname", "nodename")
_KEPT: Final = "labels of an alert"


def put_alert(section: OpenSection, found: Opened, values: Mapping[str, Scalar], around: Sequence[Opened]) -> bool:
    """Whether the object is a part of an alert, or an alert as a whole."""
    kept: dict[str, dict[str, str]] = section.state.setdefault(_KEPT, {})
    if (found.key == "labels" and "alertname" in values) or (
        found.key == "annotations" and any(one in values for one in _WORDS)
    ):
        kept[found.key] = {key: str(value) for key, value in values.items() if value is not None}
        return True
    is_of_alert = bool(around) and any(one.lower() in _BEGAN for one in around[-1].values)
    if found.key == "status" and is_of_alert and str(values.get("state")) in _STATES:
        kept["status"] = {"state": str(values["state"])}
        return True
    if not (any(one in values for one in _BEGAN) and "labels" in kept):
        return False
    labels, words, status = (kept.pop(one, {}) for one in ("labels", "annotations", "status"))
    state = str(values.get("status") or values.get("state") or status.get("state", ""))
    host = _PORT.sub("", next((labels[one] for one in _HOSTS if labels.get(one)), ""))
    called = labels["alertname"]
    if state in _OVER:
        put_well(section, found.line, called, host, state)
        return True
    summary = next((words[one] for one in _WORDS if words.get(one)), "")
    level = level_of(labels.get("severity", ""))
    put_service(section, found.line, Levelled("", host, called, level, f"{called}: {summary}" if summary else called))
    return True
