"""Sentences that tell of a fault of a cluster, which no output beside them need show.

    Under rare circumstances all quorum nodes could be expelled, which results in a cluster wide quorum loss.
    In some cases a deadlock can occur between the takeover of the file system manager and the requests to fence disks.

Known by what goes wrong and by whom it does. A condition (``If a node fails, ...``), unless somebody tells what
happened to him, a question and what is denied or was put right tell of none.
"""

from __future__ import annotations

import re
from typing import Final

STATED_CHARS: Final = 200
_MOST: Final = 1_000
_PRODUCT: Final = re.compile(
    r"\b(?:GPFS|(?:Spectrum|Storage) Scale|mmfsd|GNR|NSDs?|[pv]disks?|AFM|filesets?|CES|file ?system manager"
    r"|cluster manager|quorum|Veritas|InfoScale|V[xX][vV]M|V[xX]F[sS]|VCS|CVM|CFS|LLT|GAB|I/O fencing|fencing"
    r"|rlinks?|SRL|disk ?groups?|plex(?:es)?|service groups?|vx[a-z]{3,12}|GFS2?|DLM|pacemaker|corosync|cman"
    r"|cluster(?:ed)? (?:file ?system|volume|node)s?|glocks?)\b",
    re.IGNORECASE,
)
_FAULT: Final = re.compile(
    r"\b(?:deadlock(?:s|ed)?|hangs?|hung|panics?|panick(?:s|ed)|crash(?:es|ed)|asserts?|asserted|corrupt(?:s|ed|ion)?"
    r"|(?:be|is|are|was|were|been|being|gets?|got) (?:expelled|fenced|evicted|ejected|blocked|stuck)"
    r"|stuck|unresponsive|data loss|split[- ]brain|(?:quorum (?:loss|is lost|was lost)|los[est]{1,2} (?:the )?quorum)"
    r"|fails? to \w{2,16}|failed to \w{2,16}|unable to \w{2,16}|not able to \w{2,16}|won't \w{2,16}"
    r"|(?:can|could|does|did|do|will|would)(?: ?not|n't) (?:be )?"
    r"(?:\w{2,8} )?(?:mount|start|join|import|deport|connect|come|complete|unmount|access|reach|recover|rejoin"
    r"|replicat)\w{0,4}"
    r"|(?:goes?|went|going|marked|become|becomes|became|put) (?:\w{2,12} )?(?:offline|down|faulted|disabled|read-only)"
    r"|disconnect(?:s|ed)?|connect/disconnect|out of memory|segfaults?|core dumps?|I/O errors?|timed out|long waiters"
    r"|h\u00e4ng(?:t|en)|abgest\u00fcrzt|absturz|ausgefallen|starte(?:t|n)\b.{1,60}? nicht"
    r"|be(?:ing)? rejected|runs? out of \w{2,12}|no space|requeued)\b",
    re.IGNORECASE,
)
_GENERAL: Final = re.compile(
    r"^[\"'(*\s]{0,4}(?:if|when|whenever|unless|should|see|use|to|note|for|before|once|suppose|verify|check|ensure)\b",
    re.IGNORECASE,
)
_DENIED: Final = re.compile(
    r"\b(?:no|never|without|none|nothing|avoids?|prevents?|preventing|to prevent|fixed|solved|resolved|mended"
    r"|repaired|no longer|successful(?:ly)?|example|test(?:s|ed|ing)?|if (?:a|an|the|any|you|one))\b",
    re.IGNORECASE,
)
_GRAVE: Final = re.compile(r"deadlock|h[au]ng|panic|crash|assert|corrupt|data loss|split|quorum|los", re.IGNORECASE)
_LEAST_WORDS: Final = 4
_BEFORE: Final = 7
"""Words kept in front of what goes wrong."""
_AROUND: Final = " .,;:-*\u2022"
_CLAUSE: Final = re.compile(r"[;:()]|, (?:which|and|but|so|because)\b|,(?= )")


def stated_fault(sentence: str, *, happened: bool = False) -> str:
    """The part of a sentence that tells of a fault; empty where it tells of none. happened: it tells what happened to
    somebody, so that what it begins with is no condition: ``When the master was rebooted yesterday, ...``.
    """
    shown = sentence[:_MOST].strip()
    if _PRODUCT.search(shown) is None or (found := _FAULT.search(shown)) is None or shown.endswith("?"):
        return ""
    if not happened and _GENERAL.match(shown):
        return ""
    ends = [match.start() for match in _CLAUSE.finditer(shown, found.end())]
    begins = [match.end() for match in _CLAUSE.finditer(shown, 0, found.start())]
    end = ends[0] if ends else len(shown)
    if _DENIED.search(shown, 0, end):
        return ""
    begin = begins[-1] if begins else 0
    if len(shown[begin:end].split()) < _LEAST_WORDS:
        begin = 0
    before = shown[begin : found.start()].split()
    cut = f"\u2026 {' '.join(before[-_BEFORE:])}" if len(before) > _BEFORE else " ".join(before)
    return f"{cut} {shown[found.start() : end]}".strip(_AROUND)[:STATED_CHARS]


def gravity(stated: str) -> tuple[int, int]:
    """How much a sentence tells: what goes wrong, what stops work counting twice, and of what product."""
    faults = [match[0] for match in _FAULT.finditer(stated)]
    return len(faults) + sum(_GRAVE.match(one) is not None for one in faults), len(_PRODUCT.findall(stated))
