"""Whether prose teaches or tells: sentences of a manual, which show an example, and those of somebody to whom it
happened.

    For example, to list the paths of a disk, use the following command:
    The listing above shows that one of its paths is disabled.
    Since this morning one path is away on our database server, please help.

The first two are of a manual, the third is somebody's own. A single sentence proves little: how many there are of each
is weighed where findings are.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.line_kinds import announces_example
from parsers.records import Narration

KEPT: Final = 20
"""Sentences of one text, of each sort."""
_SHOWN: Final = r"(?:output|listing|display|report|example|sample|table|command output)s?"
_EXAMPLES: Final = re.compile(
    r"\bfor example,? (?:to [a-z]|if you\b|(?:the|this|in) |use |enter |consider )"
    r"|\b(?:sample|example) (?:output|listing|display|report)s?\b"
    r"|\bthe following (?:is an? |are )?(?:\w{1,20} ){0,2}(?:examples?|samples?)\b"
    r"|\b(?:messages?|errors?|warnings?|output|syntax|display|listing|report),? (?:\w{1,12} ){0,2}"
    r"(?:similar to|like|resembling) (?:the following|this|these|those)\b"
    r"|\ban example of (?:an?|the|such)\b|\bfor example:?$"
    r"|\bzum beispiel,? (?:zeigt|gibt|kann|wird)\b|\bbeispielausgabe\b",
    re.IGNORECASE,
)
_TEACHES: Final = re.compile(
    rf"\b{_SHOWN} (?:\w{{1,20}} ){{0,2}}(?:above|below) (?:shows?|indicates?|displays?|lists?)\b"
    rf"|\bthe (?:above|following|preceding|previous) {_SHOWN} (?:shows?|indicates?|displays?|lists?|illustrates?)\b"
    rf"|\b{_SHOWN} (?:is|looks|appears|should be|will be|would be|may be|can be|that is|that resembles)"
    r" (?:\w{1,12} )?(?:similar to|like|as follows|the following)"
    r"|\b(?:displays?|shows?|returns?|prints?|produces?|generates?) (?:\w{1,12} ){0,4}(?:similar to|like|resembling) "
    r"(?:the following|this|these)"
    r"|\b(?:use|enter|type|run|issue|execute) the (?:following )?(?:\S{1,30} )?commands?\b"
    r"|\bthe following (?:command|procedure|steps?|table|commands)\b"
    r"|\b(?:in|of) this (?:output|listing|example),? "
    r"|\bto [a-z]{3,20} [^.:]{3,120}[,;] (?:use|enter|type|run|issue|execute)\b"
    r"|\b(?:administrator|user|reference|troubleshooting|installation|configuration|command|problem determination)"
    r"(?:'s|s)? (?:guide|reference|manual)\b"
    r"|\bthe \S{1,30} (?:command|utility) (?:displays|lists|shows|prints|returns)\b"
    r"|\bthe \S{1,30} (?:line|field|column|row|flag) "
    r"(?:is (?:shown|displayed|not)|shows?|indicates?|displays?|lists?)\b"
    r"|\bdie (?:folgende|obige|nachstehende) (?:ausgabe|liste|tabelle|meldung)\b",
    re.IGNORECASE,
)
_OWN: Final = re.compile(
    r"\b(?:[Ww]e|[Mm]y|[Oo]urs?|[Uu]s|I'(?:m|ve|ll|d)|I(?!/)|[Hh]i|[Hh]ello|[Dd]ear|[Rr]egards|[Tt]hanks?)\b"
    r"|\b(?:please|pls) (?:help|advise|check|verify|assist|investigate|look|tell|let)\b"
    r"|\b(?:yesterday|today|tonight|this (?:morning|afternoon|evening|night|week)|last (?:night|week|weekend)"
    r"|any ideas?"
    r"|since (?:the )?(?:reboot|upgrade|update|\d|monday|tuesday|wednesday|thursday|friday|saturday|sunday))\b"
    r"|\b(?:the|this|our) customer\b|\bcustomer (?:reports?|reported|says|said|sees|states|observed)\b"
    r"|\b(?:reported|raised|opened|escalated) by\b|\busers? (?:reports?|reported|complain\w*|cannot|can't)\b"
    r"|\b(?:ticket|incident|case) ?(?:#|no\b|number|id\b|[A-Z]{0,4}\d{4})|\bINC\d{5,12}\b|\bsev(?:erity)?[- ]?[1-4]\b"
    r"|\b(?:at|since|around|until|from|um|seit|gegen) \d{1,2}:\d{2}\b"
    r"|\b(?:outage|downtime) (?:at|on|since|began|started)\b"
    r"|\bproduction (?:cluster|system|servers?|databases?|nodes?|environment)\b|\banwender (?:melden|klagen)\b"
    r"|\?$|\b(?:wir|ich|unser\w{0,2}|bitte|danke|hallo|gestern|heute|kunde)\b",
    re.IGNORECASE,
)


def narration_of(line: int, sentence: str) -> Narration | None:
    """What a sentence is of, if of one of both."""
    if _OWN.search(sentence) is not None:
        return Narration(line=line, sort="own", text=sentence[:200])
    if _EXAMPLES.search(sentence) is not None or announces_example(sentence):
        return Narration(line=line, sort="example", text=sentence[:200])
    if _TEACHES.search(sentence) is not None:
        return Narration(line=line, sort="manual", text=sentence[:200])
    return None
