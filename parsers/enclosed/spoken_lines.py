"""Messages of a log that somebody quotes within a sentence of their own.

    Since nine the log of pine says `Apr  3 04:11:20 pine kernel: GFS2: fsid=yard:grain.1: withdrawn`, and nothing else.
    Im Log steht seitdem „VCS ERROR V-16-1-10205 Group yardgrp is faulted on system pine“.

    * 04:11 `Apr  3 04:11:20 pine kernel: GFS2: fsid=yard:grain.1: withdrawn`

The sentence tells that it happened: a word for what a log or a person does stands in front of the quotation. What a
manual says may be seen, or what somebody looks for, is none. An entry of a list of moments has no words of its own.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.enclosed.exported import has_stamp
from parsers.lookup import claimed

LONGEST: Final = 4000
MOST: Final = 8
"""Quotations of one sentence."""
GUESSED: Final = -50
"""Priority of readers that go by shape alone."""
MARKS: Final = '`\u201c\u201e\u00ab\u2018"'
_QUOTED: Final = re.compile(
    r"`{1,3}([^`]{16,2000})`|\u201c([^\u201c\u201d]{16,2000})\u201d"
    r"|\u201e([^\u201c\u201d\u201e]{16,2000})[\u201c\u201d]"
    r"|\u00ab ?([^\u00ab\u00bb]{16,2000}?) ?\u00bb|\u2018([^\u2018\u2019]{16,2000})\u2019"
    r"|(?<![\w=\"])\"([^\"]{16,2000})\"(?!\w)"
)
_TELLS: Final = re.compile(
    r"\b(?:says?|said|saying|shows?|showed|showing|reads|prints?|printed|reports?|reported|logs|logged|tells|told|see|saw"
    r"|seen|sees|get|gets|got|getting|finds?|found|has|have|had|contains?|there (?:is|are|was|were)|writes?|wrote"
    r"|spits|throws|threw|before that|after that|followed by|and then"
    r"|meldet|meldete|steht|sagt|sagte|zeigt|zeigte|schreibt|sehe|sehen|sieht|bekomme|bekommen|kommt|finde|finden|davor"
    r"|dit|affiche|indique|montre|vois|voit|trouve|dice|muestra|vemos|veo|sale|aparece|mostra|vedo|vediamo|appare|diz"
    r"|vejo|vemos|aparece|zegt|toont|zie|zien|staat|s\u00e4ger|visar|m\u00f3wi|pokazuje)\b",
    re.IGNORECASE,
)
_SUPPOSES: Final = re.compile(
    r"\b(?:if|when|whenever|whether|unless|may|might|could|would|should|must|can|will|example|e\.g|such as|similar"
    r"|typical(?:ly)?|usually|look(?:s|ing)? (?:for|like)|search(?:es|ing)?|grep|means?|indicates?|no longer|never|not"
    r"|don't|doesn't|didn't|isn't|without|like|once|documentation|manual|article|wenn|falls|ob|beispiel|z\. ?b"
    r"|kein(?:e|en)?"
    r"|nicht|nie|bedeutet|suche|w\u00fcrde|k\u00f6nnte|quand|lorsque|exemple|pas|jamais|cuando|ejemplo|nunca|quando|esempio"
    r"|non"
    r"|mai|exemplo|n\u00e3o|als|voorbeeld|niet|nooit)\b|\bsi\b|\?",
    re.IGNORECASE,
)
"""Words of a sentence that tells of no such message, or of one that somebody expects."""
_WORD: Final = re.compile(r"[^\W\d_]{2,}")
_NUMBER: Final = re.compile(r"\d")
_LEAST_WORDS: Final = 3
_CODED: Final = re.compile(
    r"V-\d{1,3}-\d|\b\d{4}-\d{3}\b|^\[[EXAWN]\] |fsid=|^(?:Buffer )?I/O error"
    r"|^(?:EXT[234]-fs|XFS|BTRFS|JBD2|OCFS2|F2FS-fs|md(?:/raid\d{0,2})?|device-mapper|dlm|nfs|sd \d|INFO: task)\b"
    r".{0,60}[:)]"
    r"|^[a-z][\w.-]{2,40}(?:\[\d{1,9}\]: |: (?:emerg|alert|crit|error|err|warning|notice): )"
)
_QUESTION: Final = re.compile(r"(?<=[.!])\s{1,8}[^.!?]{1,160}\?\s{0,8}$")
"""A question behind what was told is of the reader, not of the message."""


def quoted(text: str) -> list[str]:
    """The sentence and the messages that it quotes, of an entry of a list these alone; nothing for any other line. This
    is looked for in lines with such marks only.
    """
    if len(text) > LONGEST or not any(mark in text for mark in MARKS):
        return []
    found, around, at = [], [], 0
    beside = _QUOTED.sub("", text)
    is_listed = _WORD.search(beside) is None and _NUMBER.search(beside) is not None  # beside a time of day alone
    for match in _QUOTED.finditer(text):
        around.append(text[at : match.start()])
        at = match.end()
        message = next(filter(None, match.groups())).strip()
        if (is_listed or _TELLS.search(around[-1]) is not None) and _is_message(message):
            found.append(message)
    around.append(text[at:])
    if is_listed:
        return found[:MOST] if claimed(text) is None else []
    sentence = _QUESTION.sub("", " ".join(around).rstrip())
    is_report = len(_WORD.findall(sentence)) >= _LEAST_WORDS and _SUPPOSES.search(sentence) is None
    return [text, *found[:MOST]] if found and is_report and claimed(text) is None else []


def _is_message(text: str) -> bool:
    """Whether a quotation is a whole message: somebody knows it, and it has a moment or a code of its own."""
    if not (has_stamp(text) or _CODED.search(text) is not None):
        return False
    owner = claimed(text)
    return owner is not None and owner.priority > GUESSED
