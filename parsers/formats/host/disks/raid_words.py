"""What tools of RAID controllers call the states of disks, of what is built of them, and of what guards them.

Each vendor has words of its own (``Dgrd``, ``Interim Recovery Mode``, ``ECC-ERROR``, ``Unconfigured(bad)``), cut, in
capitals or behind a code; what they mean is the same for all. Source: the manuals of the command line tools of MegaRAID
and 3ware, of Smart Array and Adaptec controllers, recalled; the states of Smart Array as its support guides list them.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.records.states import HealthStanding, StorageSort

_NOTHING: Final = re.compile(
    r"(?:not[ -]?(?:present|installed|available|configured|applicable|reportable|supported?|used)|no-device"
    r"|n[./]?a|none"
    r"|unknown|-+|0 rpm.*|off|on|disabled|enabled)\b",
    re.IGNORECASE,
)
_LOST: Final = re.compile(
    r"\b(?:off-?line|of+ln|failed|fail|failure|fld|dead|inoperable|inoperative"
    r"|non[- ]?(?:functional|operational)|faulty|unusable)\b",
    re.IGNORECASE,
)
_LESS: Final = re.compile(
    r"\b(?:(?:partially )?degraded|dgrd|pdgd|dgd|interim recovery|recovering|rebuilding|rebuild|rbld"
    r"|(?:ready|waiting|queued) for re(?:build|covery)"
    r"|sub-?optimal|missing|msng|mis|wrong (?:physical|drive)|(?:not|im)properly connected|defunct|u?bad|predictive"
    r"|smart-?failure|ecc-error|device-error|drive-removed|not-supported|critical|abnormal|alarm-activated|nda?tn"
    r"|needs? attention|permanently disabled|replace|inconsistent|incomplete|temperature problem|overheat\w*|problem"
    r"|unprot\w*|drive (?:has )?failed|out[ _-]of[ _-]sync|error)\b",
    re.IGNORECASE,
)
_MOVES: Final = re.compile(
    r"\b(?:rebuild(?:ing)?|rbld|copy ?back|cpybck|init\w*|impacted|migrat\w*|expan\w+|foreign|frgn"
    r"|reshap\w*"
    r"|transform\w*|(?:re|dis)?charging|learning|temporarily disabled|warning|non-?critical|recovering|sntze"
    r"|shielded)\b",
    re.IGNORECASE,
)
_GOOD: Final = re.compile(
    r"\b(?:optimal|optl|opt|okay|ok|online|onln|normal|functional|ready|spare|hot-?spare|ghs|dhs|ugood|good|jbod"
    r"|pass(?:ed)?|active|verify\w*|charged|present|unassigned|available|rdy)\b",
    re.IGNORECASE,
)


def standing_of_raid(sort: StorageSort, state: str) -> HealthStanding | None:
    """What a word of such a tool says of a thing of that sort; None where it says nothing of its health. The loss of a
    disk costs an array its safety, until its rebuild is done; an array that is lost has nothing to stand in for it.
    """
    if _NOTHING.match(state.strip()) is not None:
        return "unknown"
    if _LOST.search(state) is not None:
        return "failed" if sort == "array" else "degraded"
    if _LESS.search(state) is not None:
        return "degraded"
    if _MOVES.search(state) is not None:
        return "hint"
    return "healthy" if _GOOD.search(state) is not None else None
