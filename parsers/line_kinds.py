"""What a line is by its look, whatever the tool: a sentence, a heading, a caption, a fence, what a screen left."""

from __future__ import annotations

import re
from typing import Final

_PAGER = re.compile(
    r"Page \d{1,5} (?:of|/) \d{1,5}$"
    r"|--More--[ \t]?(?:\(\d{1,3}%\))?$|\(END\)$|lines \d{1,7}-\d{1,7}(?:/\d{1,7})?(?: \d{1,3}%| \(END\))?$"
)
_IDLE_PROMPT = re.compile(
    r"(?:\[[A-Za-z_][\w.-]{0,64}@[^\s\]]{1,128}(?: [^\]]{0,200})?\] ?[#$%]|-?(?:bash|sh|ksh)-[\d.]{1,8}[#$]"
    r"|[A-Za-z_][\w.-]{0,32}@[A-Za-z][\w.-]{0,126} ?(?::[^\s#$>]{0,200} ?|[~/][^\s#$>]{0,200} ?)?[#$>]"
    r"|[A-Za-z][\w.-]{0,126}(?:: ?[~/][^\s#$]{0,200} ?|: ?)?[#$]|\^[CDZ])$"
)
_OF_MAILS: Final = (
    "MIME-Version: ",
    "Content-Type: ",
    "Content-Transfer-Encoding: ",
    "Content-Disposition: ",
    "Content-Language: ",
    "Content-ID: ",
    "Message-ID: ",
    "Accept-Language: ",
    "In-Reply-To: ",
    "References: ",
    "Return-Path: ",
    "Thread-Topic: ",
    "Thread-Index: ",
    "X-Mailer: ",
    "X-MS-",
    "This is a multi-part message in MIME format",
)
"""What a mail says of its own parts."""
_RECAP = re.compile(
    r"[\w.-]{1,127} {1,60}: ok=\d{1,6} {1,8}changed=\d{1,6}"
    r"(?: {1,8}(?!(?:failed|unreachable)=[1-9])[a-z]{4,12}=\d{1,6}){1,8}$"
)
"""How a playbook ended well on a node."""
_OF_JOURNAL = re.compile(
    r"-- (?:(?:Logs begin|Journal begins) at (?!.{10,80}, ends? at ).{10,160}|No entries|Reboot|Boot [0-9a-f]{32}) --$"
)
RESTARTED: Final = ("-- Boot ", "-- Reboot --")
"""What the journal prints between two starts of its host."""
_WORD = re.compile(
    r"(?<![^\s(\[\"'\u201c*])[A-Za-z\u00c0-\u024f][a-z\u00df-\u00ff]{0,24}(?:[-'\u2019][a-z\u00df-\u00ff]{1,20}){0,3}"
    r"(?=[.,;:!?)\]\"'\u201d*]{0,3}(?:\s|$))"
)
_GAP = re.compile(r" {2,400}")
_KEYED = re.compile(r"[A-Za-z][\w-]{1,20}:(?: {3,40}|\t)\S")
"""A value set off from its name, as in a record."""
# Figures, their units and the signs of a sum: in a whole sentence they speak neither for prose nor against it. A
# message has its time.
_FIGURE = re.compile(
    r"(?<!\S)[(~<>]{0,2}(?:\d[\d.,]{0,15}(?:[-/]\d[\d.,]{0,15})?[a-zA-Z%/]{0,8}|[*/+=\u00d7x-]"
    r"|[kKMGT]?i?[bB](?:/s)?)[).,;:]{0,3}(?!\S)"
)
_WHOLE = re.compile(r"[A-Z](?!.{0,60}\d\d:\d\d)[^|{}\[\]]{20,399}[a-z%)/]\.$")
_ADDRESSED: Final = (",", "!", "?")
_SALUTE = re.compile(r"[A-Z\u00c0-\u00de][a-z\u00df-\u00ff]{1,24}(?: [A-Za-z\u00c0-\u024f]{1,24}\.?){0,5} ?[,!?]{1,3}$")
"""How a letter begins and ends, or a short question: nothing that a tool prints."""
_CLOSING = re.compile(
    r"(?:(?:beste?|kind|warm|many|viele|freundliche|mit (?:freundlichen|besten)|sch\u00f6ne) )?"
    r"(?:best(?: wishes)?(?=, ?[a-z]|,$)|all the best|regards|thanks|thank you|thx|cheers|greetings|mfg|vg|danke"
    r"|yours (?:faithfully|sincerely|truly)|(?:faithfully|sincerely|truly)(?: yours)?,? ?(?:etc\.?)?"
    r"|gr(?:uss|u\u00df|\u00fc\u00dfen?|\u00fcssen?|uessen?)|cordialement|merci|saludos|gracias|saluti)"
    r"(?: (?:a lot|in advance|much|again|everyone|all))?"
    r"(?:[,!. ]{1,3}[a-z][\w.-]{0,24}(?: [a-z][\w.-]{0,24})?)?[,!.]?$",
    re.IGNORECASE,
)
"""The last words of a letter, with a name behind them or without."""
_ENCLOSED = re.compile(
    r"(?:(?:(?:the|full|complete|here is the) )?"
    r"(?:outputs?|logs?|details|dumps?|files?|traces?|excerpts?|snippets?|results?)(?: is| are)?"
    r" (?:follows?|below|attached|above|enclosed|included|pasted)|see (?:below|above|attached)"
    r"|as (?:requested|promised|discussed)"
    r"|(?:hi|hello|hey|hallo|moin|servus|bonjour|hola|ciao)(?: [a-z]{2,20}){0,2})[.:!]?$",
    re.IGNORECASE,
)
"""What a letter says of what it brings, and how it greets without a comma."""
_QUESTION = re.compile(
    r"[A-Z\u00c0-\u00de][a-z\u00df-\u00ff']{1,24}(?: [A-Za-z\u00c0-\u024f']{1,24}){0,7}[?!.]{1,3} {1,2}(?=\S)"
)
"""A short sentence in front of them."""
_PAIRS = re.compile(r"(?<!\S)[A-Z][A-Za-z]{1,20}(?: [A-Za-z]{1,20}){0,3}: (?=[^\s])")
LEAST_PAIRS: Final = 5
"""Names with a colon on one line: a list that came on one line, and no sentence."""
_EXAMPLE = re.compile(
    r"\b(?:an example of such an?(?: \w{1,20})?:?\s{0,4}$"
    r"|an example of (?:an?|the) (?:\w{1,20} )?(?:message|error|warning|log)"
    r"|(?:messages?|errors?|warnings?)(?: messages?)?,?(?: that (?:is|are))? "
    r"(?:similar to|like|that resembles?|such as)"
    r"(?: (?:the following|this|these|those))?(?: before \w{4,12}| (?:is|are|appears?|below)\b.{0,40})?:?\s{0,4}$"
    r"|(?:returns|displays|prints|outputs|issues|logs|generates) (?:the following|an?) "
    r"(?:error |warning )?(?:messages?|errors?)(?: .{0,60})?:\s{0,4}$"
    r"|the following (?:error |warning )?(?:messages? )?(?:is|are|may be|can be) "
    r"(?:displayed|printed|logged|reported|issued)"
    r"|(?:typical|sample|example) (?:error |log )?messages?\b.{0,60}:\s{0,4}$)",
    re.IGNORECASE,
)
_OWN_STORY = re.compile(
    r"\b(?:we|i|my|our|us|got|get|gave|gives|failed|saw|see|seen|seeing|here)\b|\d\d:\d\d|n't\b", re.IGNORECASE
)
"""Somebody tells what happened to them."""
_FENCE = re.compile(
    r"(?:`{3,8}|~{3,8})[a-z]{0,16}$|\[/?(?:code|quote|pre)\]$|</?(?:pre|code|blockquote)>$"
    r"|\{(?:code|noformat|quote|panel)(?::[^{}]{0,200})?\}$"
    r"|\{%-? {0,4}(?:end)?(?:highlight|raw|code\w{0,12})(?: [^{}%]{0,120})?-?%\}$"
    r"|\{\{[<%] {0,4}/?(?:highlight|code\w{0,12}|terminal|console)(?: [^{}]{0,120})?[>%]\}\}$"
    r"|std(?:out|err):$"
    r"|\.\. (?:code(?:-block)?|sourcecode|parsed-literal)::(?: [\w-]{1,24})?$|::$|\[source(?:[,%][^\]]{0,60})?\]$",
    re.IGNORECASE,
)
"""A mark of Markdown, of a generator of pages, of a forum, of a tracker or of HTML around a quoted output."""
_FOREIGN = re.compile(r"[\u0370-\u05ff\u0600-\u06ff\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")
_FOREIGN_LETTERS: Final = 8
_CAPTION = re.compile(
    r"(?:\((?=[^()]{6,80}\)$)[A-Z][a-z]{1,24}(?: [A-Za-z][a-z]{0,24}){1,8}\)"
    r"|[A-Z\u00c0-\u00de][A-Za-z'\u2019\u00df-\u00ff]{0,24}(?: [A-Za-z\u00c0-\u024f][\w'\u2019-]{0,24}){2,9} ?:)$"
)
_LONE_NAME = re.compile(r"[A-Za-z0-9][\w.-]{1,62}:[ \t]*$")
_RECORDED: Final = (
    "Script started on ",
    "Script done on ",
    "Script started, ",
    "Script done, ",
    "=~=~=~=~=~=~=~=~=~=~=~= PuTTY log ",
)
_SESSION = re.compile(
    r"(?:logout|(?:Shared )?[Cc]onnection to [\w.:-]{1,128} closed\.|Last login: [A-Z][a-z]{2} .{8,120})\s{0,4}$"
)
"""What a session on another host prints as it begins and ends."""
_HEADING = re.compile(r"(?:#{2,6} [^\s#]|# [A-Z])")
_FIRST_OF_HEADINGS: Final = frozenset("hGHPRTSFdni-+")
_HEADING_OF_TOOL = re.compile(
    r"h[1-6]\. [A-Z][^|{}]{1,120}$"
    r"|(?:PLAY|TASK|PLAY RECAP|GATHERING FACTS|HANDLER|RUNNING HANDLER)(?: \[[^\n]{0,200}\])? \*{2,200}$"
    r"|Started on [\w.-]{1,127}\.\.\.$|(?:Successful|Failed) on \d{1,6} targets?: \S{1,2000}$"
    r"|Ran on \d{1,6} targets? in [\d.]{1,12} (?:sec|min)"
    r"|diff --git \S{1,400} \S{1,400}$|index [0-9a-f]{6,40}\.\.[0-9a-f]{6,40}(?: \d{6})?$|new file mode \d{6}$"
    r"|(?:--- (?:a/|/dev/null)|\+\+\+ (?:b/|/dev/null))\S{0,400}$"
)
"""Of a tracker, of a playbook or a plan that runs its steps, of a difference between files."""
LONGEST_ERROR: Final = 2000
LEVEL_ENDS: Final = 160
_OF_TOOL: Final = r"(?:[A-Za-z][\w./+-]{1,60}: {1,4}){0,2}\[?"
_AND_WHAT: Final = r"\]?(?:: {1,8}|:? - )(?!(?:I|[Ww]e|[Mm]y|[Oo]ur) )"
_ERROR_OF_TOOL = re.compile(
    rf"{_OF_TOOL}(?:(?:[Ff]atal )?(?:ERROR|[Ee]rror)|Fehler|[Ee]rreur|[Ee]rrore|[Ee]rro|[Ff]out|B\u0142\u0105d"
    r"|FATAL|[Ff]atal|CRITICAL|[Cc]ritical|PANIC|SEVERE)"
    rf"{_AND_WHAT}\S{{1,60}}(?: \S|$)"
)
_WARNING_OF_TOOL = re.compile(
    rf"{_OF_TOOL}(?:WARNING|[Ww]arning|WARN){_AND_WHAT}.{{0,400}}\b(?i:fail(?:ed|s|ure)?|cannot|can't|could not|unable"
    r"|unreachable|lost|missing|degraded|offline|refused|corrupt(?:ed|ion)?|inconsistent|stale|timed out"
    r"|not (?:reachable|mounted|running|found|active|available|respond\w{0,4}|connected)|is (?:down|full|broken))\b"
)
LONGEST_POST: Final = 160
PERSON: Final = r"[A-Z\u00c0-\u00de][\w.'\u2019-]{1,30}(?:,? [A-Z\u00c0-\u00de][\w.'\u2019-]{0,30}){1,3}"
POST_TIME: Final = r"\d{1,2}:\d\d(?::\d\d)?(?: ?[AaPp][Mm])?"
_HANDLE: Final = r"[a-z][\w-]{1,30}(?:\.[\w-]{1,30}){1,3}"
_POST = re.compile(
    rf"\d{{1,4}}[-./]\d{{1,2}}[-./]\d{{2,4}},? {POST_TIME}(?: -| \||,)? {PERSON} \([A-Z][A-Za-z ]{{3,30}}\)$"
    rf"|\[?{POST_TIME}\]? {PERSON}$"
    rf"|(?:{PERSON}|{_HANDLE}) {{1,4}}\[?(?:(?:[Tt]oday|[Yy]esterday)(?: at)? )?{POST_TIME}\]?$"
    rf"|{PERSON} (?:added a comment|commented|wrote)(?: -| on|,)? .{{0,10}}\d{{1,4}}[-./ ].{{4,24}}$"
    r"|(?:Ticket|Incident|Case|Change|Request|Problem|SR|PMR) ?[#:]? ?(?:[A-Z]{2,8}-?)?\d{3,14}"
    r"(?:[ \t,;|-]{1,12}(?:Status|State|Priority|Prio|Severity|Impact|Urgency|Type|Owner|Queue|Category)"
    r": {0,2}\w[\w-]{0,23}(?: \w[\w-]{0,23})?){1,5}$"
)
"""Who wrote what follows, and when: in the history of a ticket, or in a chat."""
_SHAPE = re.compile(r"0x[0-9A-Fa-f]+|\d[\d.,:]*|[0-9a-f]{8,}")


_DRAWN: Final = frozenset("-=~_* ")
_SCISSORS: Final = ("8<", ">8", "%<", ">%", "\u2702", "cut here", "snip")


def _is_cut(text: str) -> bool:
    """Whether somebody drew a line there on which to cut."""
    rest = text.lower()
    for mark in _SCISSORS:
        rest = rest.replace(mark, "")
    return 4 <= len(rest) < len(text) and _DRAWN.issuperset(rest)


def is_elision(text: str) -> bool:
    """Three or more dots, or a mark for left-out output, alone on the line: ``-----8<-----``."""
    stripped = text.strip()
    if not stripped or stripped[0] not in ".\u2026<[-=~_*8":
        return False
    if stripped[0] in "-=~_*8":
        return len(stripped) < LONGEST_POST and _is_cut(stripped)
    return (set(stripped) <= {".", "\u2026"} and (len(stripped) > 2 or "\u2026" in stripped)) or stripped.lower() in (
        "<snip>",
        "[snip]",
    )


def is_pager(text: str) -> bool:
    """What ``more`` and ``less`` leave in a copied screen."""
    return text[:1] in ("-", "(", "l", "P") and len(text) < 60 and _PAGER.match(text.strip()) is not None


def is_left_on_screen(text: str) -> bool:
    """What a copied screen holds besides commands and their output: a prompt at which nothing was typed, the key that
    ended a command, what a pager, the journal, a playbook or a mail says of itself.
    """
    stripped = text.rstrip()
    is_idle = (
        stripped[-1:] in ("#", "$", "%", ">", "C", "D", "Z")
        and len(stripped) < 400
        and _IDLE_PROMPT.match(stripped.lstrip()) is not None
    )
    is_recap = text[-1:].isdigit() and " ok=" in text and _RECAP.match(text) is not None
    is_recap = is_recap or text.startswith(_OF_MAILS)
    return is_idle or is_recap or is_pager(text) or (text.startswith("-- ") and _OF_JOURNAL.match(stripped) is not None)


def is_fence(text: str) -> bool:
    """A mark of Markdown, of a forum or of HTML before and behind a quoted output."""
    return _FENCE.match(text.strip()) is not None


def is_lone_name(text: str) -> bool:
    """A word with its colon: above all output the name of a node whose first line is empty. Within one it may be what
    is left of a cut line.
    """
    return len(text) < 120 and _LONE_NAME.match(text) is not None


def is_heading(text: str) -> bool:
    """A heading of Markdown, as slides and articles have them, or the frame of a recorded session: no setting and no
    table.
    """
    is_of_tool = text[:1] in _FIRST_OF_HEADINGS and _HEADING_OF_TOOL.match(text) is not None
    is_of_tool = is_of_tool or (len(text) < LONGEST_POST and _POST.match(text) is not None)
    if text.startswith(_RECORDED) or _SESSION.match(text) or is_of_tool:
        return True
    match = _HEADING.match(text)
    words = text[match.end() - 1 :].split() if match else []
    if text.startswith("##") and len(words) == 1:
        return words[0].isalpha() and len(words[0]) > 3
    return (
        len(words) > 1
        and sum(any(c.isalpha() for c in word) and "=" not in word for word in words) >= 0.6 * len(words)
        and not text[-1].isdigit()
    )


def is_prose(text: str) -> bool:
    """A sentence of a person: mostly plain words, hardly any columns, no address. A row of a table is none, even if it
    holds words only.
    """
    head = text[:400].strip()
    if "0x" in head or _KEYED.match(head) is not None or len(_PAIRS.findall(head)) >= LEAST_PAIRS:
        return False
    if (head[-1:] in _ADDRESSED and _SALUTE.match(head)) or _ENCLOSED.match(head):
        return True
    if _CLOSING.match(head) or ((question := _QUESTION.match(head)) and _CLOSING.match(head, question.end())):
        return True
    if not head.isascii() and _is_foreign_prose(head):
        return True
    words, parts = len(_WORD.findall(head)), len(head.split())
    if 3 * words < 2 * parts and _WHOLE.match(head):
        parts -= len(_FIGURE.findall(head))
    return words >= 4 and 3 * words >= 2 * parts and 5 * len(_GAP.findall(head)) <= words


def _is_foreign_prose(head: str) -> bool:
    """A sentence in letters that are not Latin: many of them, and no columns."""
    foreign = len(_FOREIGN.findall(head))
    return foreign >= _FOREIGN_LETTERS and 5 * foreign >= 2 * sum(map(str.isalpha, head)) and _GAP.search(head) is None


def announces_example(text: str) -> bool:
    """Whether a sentence of a manual says that what stands below is an example, which nobody saw happen."""
    return _EXAMPLE.search(text) is not None and _OWN_STORY.search(text) is None


def is_error_of_tool(text: str) -> bool:
    """Whether a tool says that it failed, or warns of something that failed: its own name or nothing, the level, a
    colon. Who writes of an error does not begin so.
    """
    text = text.strip()
    if len(text) > LONGEST_ERROR or not (":" in text[:LEVEL_ENDS] or " - " in text[:LEVEL_ENDS]):
        return False
    return _ERROR_OF_TOOL.match(text) is not None or _WARNING_OF_TOOL.match(text) is not None


def is_closing(text: str) -> bool:
    """Whether a line holds the last words of a letter: below them stands a name."""
    return len(text) < LONGEST_POST and _CLOSING.match(text.strip()) is not None


def is_caption(text: str) -> bool:
    """What people write above an output: a few words and a colon, or in brackets. It holds no figure and no value."""
    head = text.strip()
    return (head[-1:] == ":" or head[:1] == "(") and len(head) < 120 and _CAPTION.match(head) is not None


def line_shape(text: str) -> str:
    """The line with numbers and addresses blanked, at most 160 characters: what lines not understood are grouped by."""
    return _SHAPE.sub("#", text[:400].strip())[:160]
