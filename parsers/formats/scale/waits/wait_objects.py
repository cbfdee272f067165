"""Waiters of Spectrum Scale as objects of JSON, as monitors and scripts keep them. No parser of its own.

    {"node": "lund03", "waitTime": 412.3, "threadName": "SyncHandlerThread", "auxReason": "RPC wait for tmMsgRevoke"}

An object with an age, a thread and what it waits for, in words that only such a waiter has (``wait_fields``).
"""

from __future__ import annotations

from collections.abc import Mapping

from parsers.formats.scale.waits.rows import Rows
from parsers.formats.scale.waits.wait_fields import waiter_in_object
from parsers.grammars.json_walk import Opened, Scalar
from parsers.output import Output
from parsers.sections.reader import OpenSection


def put_wait(section: OpenSection, out: Output, found: Opened, values: Mapping[str, Scalar]) -> bool:
    """Put the waiter of an object; False where it is none. ``values``: keys in small letters."""
    waiter = None if found.is_list else waiter_in_object(values)
    if waiter is None:
        return False
    rows = Rows(section, out)
    rows.add(found.line, waiter)
    rows.settle()
    rows.flush()
    return True
