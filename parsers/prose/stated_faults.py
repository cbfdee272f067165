"""Sentences that tell of a fault of a cluster, which no output beside them need show.

    Under rare circumstances all quorum nodes could be expelled, which results in a cluster wide quorum loss.
    In some cases a deadlock can occur between the takeover of the file system manager and the requests to fence disks.

Known by what goes wrong and by whom it does. A condition (``If a node fails, ...``), unless somebody tells what
happened to him, a question and what is denied or was put right tell of none. English,
German, French, Spanish and Portuguese.
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
    r"|cluster(?:ed)? (?:file ?system|volume|node)s?|glocks?|waiters?|dateisysteme?n?|clusterknoten"
    r"|syst\u00e8mes? de fichiers|sistemas? de (?:archivos|ficheros|arquivos|ficheiros))\b",
    re.IGNORECASE,
)
_GERMAN: Final = (
    r"h\u00e4ng(?:t|en|te|ten)|blockier(?:t|en)|eingefroren|abgest\u00fcrzt|absturz|ausgefallen|besch\u00e4digt"
    r"|(?:reagier|antwort)e?(?:t|n|en)\b(?: \w{2,12}){0,2} nicht|starte(?:t|n)\b.{1,60}? nicht"
    r"|bleib(?:t|en) (?:stehen|h\u00e4ngen)|st\u00fcrz(?:t|te|en|ten) .{0,20}\bab"
    r"|warte(?:t|n)\b.{0,20} (?:seit|\u00fcber|mehr als|l\u00e4nger als)\b.{0,12}\d{1,4} (?:minuten|stunden|sekunden)"
    r"|l\u00e4sst sich nicht|lassen sich nicht"
)
_FRENCH: Final = (
    r"bloqu\u00e9e?s?|se bloque(?:nt)?|fig\u00e9e?s?|ne r\u00e9pond(?:ent)? (?:pas|plus)|plant\u00e9e?s?"
    r"|expuls\u00e9e?s?|en panne|hors (?:ligne|service)|corrompue?s?|injoignables?|inaccessibles?|perte de quorum"
    r"|n'arrive(?:nt)? (?:pas|plus) \u00e0|ne (?:se )?(?:monte|d\u00e9marre)(?:nt)? (?:pas|plus)|impossible de (?:"
    r"monter|d\u00e9marrer|d\u00e9monter|acc\u00e9der|joindre)|attend(?:ent)? depuis"
)
_SPANISH: Final = (
    r"se cuelgan?|colgad[oa]s?|bloquead[oa]s?|se bloquean?|no responden?|ca\u00edd[oa]s?|se cay\u00f3|corrupt[oa]s?"
    r"|expulsad[oa]s?|inaccesibles?|no (?:se )?(?:puede|pueden|monta|montan|arranca|arrancan|inicia|inician)"
    r"|p\u00e9rdida de(?:l)? qu\u00f3rum|fuera de servicio|esperan? (?:m\u00e1s de|desde)"
)
_PORTUGUESE: Final = (
    r"travad[oa]s?|trav(?:a|am|ando|ou|aram)|n\u00e3o respondem?|caiu|ca\u00edram|corrompid[oa]s?|expuls[oa]s?"
    r"|inacess\u00edve(?:l|is)|n\u00e3o (?:monta|montam|sobe|sobem|inicia|iniciam|consegue|conseguem)|fora do ar"
    r"|perda de qu\u00f3rum|esperam? h\u00e1"
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
    rf"|{_GERMAN}|{_FRENCH}|{_SPANISH}|{_PORTUGUESE}"
    r"|be(?:ing)? rejected|runs? out of \w{2,12}|no space|requeued)\b",
    re.IGNORECASE,
)
_GENERAL: Final = re.compile(
    r"^[\"'(*\s]{0,4}(?:if|when|whenever|unless|should|see|use|to|note|for|before|once|suppose|verify|check|ensure"
    r"|wenn|falls|sobald|um(?! \d)|zum|sollte|si|lorsque|quand|pour|cuando|para|quando|caso"
    r"|se (?:[oa]s?|uma?|houver|voc\u00ea))\b",
    re.IGNORECASE,
)
_DENIED: Final = re.compile(
    r"\b(?:never|without|none|nothing|avoids?|prevents?|preventing|to prevent|fixed|solved|resolved|mended"
    r"|repaired|no longer|successful(?:ly)?|example|test(?:s|ed|ing)?|if (?:a|an|the|any|you|one)"
    r"|keine?[nmrs]?|ohne|behoben|gel\u00f6st|verhindert|vermeide[nt]|sans|aucune?s?|r\u00e9solue?s?|corrig\u00e9e?s?|sin"
    r"|ning\u00fan|ninguna|nunca|resuelt[oa]s?|corregid[oa]s?|sem|nenhuma?|resolvid[oa]s?|corrigid[oa]s?)\b",
    re.IGNORECASE,
)
_IBERIAN: Final = re.compile(rf"(?:{_SPANISH}|{_PORTUGUESE})", re.IGNORECASE)
_NONE: Final = re.compile(r"\bno\b", re.IGNORECASE)
_NOT: Final = re.compile(r"\b(?:no|n\u00e3o)$", re.IGNORECASE)
_GRAVE: Final = re.compile(
    r"deadlock|h[au\u00e4]ng|panic|crash|assert|corrupt|corromp|data loss|split|qu[o\u00f3]rum|los|colgad|cuelga|travad"
    r"|bloqu|blockier|abgest|absturz",
    re.IGNORECASE,
)
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
    if _DENIED.search(shown, 0, end) or _says_none(shown, found, end):
        return ""
    begin = begins[-1] if begins else 0
    if len(shown[begin:end].split()) < _LEAST_WORDS:
        begin = 0
    before = shown[begin : found.start()].split()
    cut = f"\u2026 {' '.join(before[-_BEFORE:])}" if len(before) > _BEFORE else " ".join(before)
    return f"{cut} {shown[found.start() : end]}".strip(_AROUND)[:STATED_CHARS]


def _says_none(shown: str, found: re.Match[str], end: int) -> bool:
    """Whether ``no`` denies it: in Portuguese it is a place, in Spanish it stands right in front of what it denies."""
    if _IBERIAN.fullmatch(found[0]):
        return _NOT.search(shown[: found.start()].rstrip()) is not None
    return _NONE.search(shown, 0, end) is not None


def gravity(stated: str) -> tuple[int, int]:
    """How much a sentence tells: what goes wrong, what stops work counting twice, and of what product."""
    faults = [match[0] for match in _FAULT.finditer(stated)]
    return len(faults) + sum(_GRAVE.match(one) is not None for one in faults), len(_PRODUCT.findall(stated))
