"""What a line loses before it is read: marks of terminals, pages, mails, trackers and people, which are no data."""

from __future__ import annotations

import html
import re
from datetime import UTC, datetime
from typing import Final

LONGEST_FENCED: Final = 4_000
LONGEST_TYPED: Final = 4_000
"""Characters of a line on which corrections are looked for."""
_SHOWN_NUMBERS: Final = re.compile(rb"#0(?:33\[|11)")
_ANSI = re.compile(
    r"\x1b(?:\[[0-9;?]{0,24}[ -/]{0,2}[@-~]|\][^\x07\x1b]{0,256}(?:\x07|\x1b\\)?|[()][A-Z0-9]|[=>78cDEHMNOZ])"
)
_SHOWN_CODES = re.compile(
    r"(?:#033|\^\[)(?:\[[0-9;?]{0,24}[A-Za-z]|\][^\^#]{0,256}(?:\^G|#007)|[()][A-Z0-9]|[=>])|\^\[$|#015$"
)
"""Terminal codes in letters, as an editor shows them and a system log stores them."""
LOST_CODE: Final = "[0m"
"""The end of a colour, where what begins a code was lost on the way."""
_LOST_CODES = re.compile(r"\[(?:\d{0,3}(?:;\d{1,3}){0,4}m|K)(?!\])")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufe0e\ufe0f\ufeff]")
_TYPED = re.compile(r"(?P<back>\x08)|\x1b\[(?P<count>\d{0,4})(?P<move>[CDKP@])|\x1b\[[0-9;?]{0,24}[A-Za-z]")
_QUOTE = re.compile(r"(?:[ \t]{0,2}>){1,12}[ \t]?")
_TAG = re.compile(
    r"<title>[^<>]{0,200}</title>|</?(?:b|i|u|em|strong|font|span|p|br|pre|code|div|samp|tt|kbd|html|head|body|ul|ol|li"
    r"|section|article|table|thead|tbody|tr|th|td|details|text|description|comment|content|note|message"
    r"|output|stdout|stderr|result|response|raw"
    r"|(?:o|ac|ri):[a-z-]{1,40})(?: [^<>]{0,200})?/?>"
    r"|<!\[CDATA\[|\]\]>",
    re.IGNORECASE,
)
# Elements of a tool that end in themselves are no words of a heading.
_WEB_HEADING = re.compile(
    r"<(?P<of>h[1-6]|summary)(?: [^<>]{0,200})?>(?P<text>(?:(?!(?<!<br)(?<!<br )/>)[^\n]){1,200}?)</(?P=of)>",
    re.IGNORECASE,
)
_ELEMENT = re.compile(
    r"[ \t]{0,40}<(?P<of>[A-Za-z][\w.-]{0,40})"
    r"(?: (?P<named>[\w.:-]{1,40})=(?P<quote>[\"'])(?P<value>[^<>\"']{1,300})(?P=quote))?"
    r" ?>(?:(?P<text>[^<>]{1,300})</(?P=of)>)?(?:<!\[CDATA\[)?$"
)
_BESIDE: Final = r"(?: (?:time|at|timestamp|date|when|start|ip|address|rc|os|cluster)=[\"'][^<>\"']{0,100}[\"'])"
_OF_HOST = re.compile(
    rf"[ \t]{{0,40}}<(?:node|host|server|machine|minion|target)(?= )(?P<before>{_BESIDE}{{0,6}})"
    rf" (?:name|hostname|host|node|id)=[\"'](?P<value>[^<>\"']{{1,126}})[\"'](?P<behind>{_BESIDE}{{1,6}}) ?>$",
    re.IGNORECASE,
)
"""A node with when it was asked, around what it printed; a tool's own elements say more of the node itself."""
_OF_NODES: Final = frozenset(("node", "host", "hostname", "nodename", "server", "machine"))
_OF_COMMANDS: Final = frozenset(("command", "cmd", "commandline", "output"))
_NAMING: Final = frozenset(("name", "hostname", "host", "node", "id"))
_TYPED_AS: Final = frozenset(("line", "command", "cmd", "name"))
_WHEN: Final = re.compile(r"(?i:time|at|timestamp|date|when|start)=[\"'](?P<at>[^<>\"']{8,60})")
_WIKI_HEADING = re.compile(r"h[1-6]\. \*?(?P<text>[A-Za-z][\w.-]{1,126}(?:: ?[\w/][^|{}\n]{1,200}?)?)\*?[ \t]{0,8}$")
"""A heading of a tracker that is one word, or has a command behind it."""
_FENCED = re.compile(
    r"(?P<open>`{3}(?=[^`\s])|\[code(?:=\w{1,16})?\]|\{code(?::[^{}\n]{1,120})?\}|\{noformat(?::[^{}\n]{1,120})?\})?"
    r"(?P<text>.*?)(?P<end>`{3}|\[/code\]|\{code\}|\{noformat\})?$",
    re.IGNORECASE,
)
_NAMED_FENCE = re.compile(r"[\[{]/?(?i:code|noformat)")
_BULLETIN = re.compile(r"\[/?(?:b|i|u|tt|color|size|font|url)(?:=[^\[\]]{1,60})?\]", re.IGNORECASE)
"""Marks of a forum around words of a line."""
_LANGUAGE = re.compile(
    r"`{3}(?:ba|z|k|c)?sh$|`{3}(?:console|text|txt|log|plain|plaintext|shell|output|terminal|none|yaml|json|xml)$"
)
"""A mark that says in which language the lines below it are."""
_TYPED_AT = re.compile(r"\*?(?P<name>[A-Za-z][\w.-]{1,126})\*?: ?\{\{(?P<command>[^{}]{2,300})\}\}$")
"""A node and its command, as people mark them in a tracker."""
_SPAN = re.compile(r"(?P<bar>`{1,2})(?P<text>[^`]{2,2000})(?P=bar)$")
_FENCE_STARTS: Final = frozenset("`[{")
_FENCE_ENDS: Final = frozenset("`]}")
_DASHED = re.compile(r"(?<=\s)[\u2013\u2014](?=[a-z][a-z-])")
_PLAIN: Final = {
    0xA0: " ", 0x2007: " ", 0x202F: " ", 0x3000: " ", 0x201C: '"', 0x201D: '"', 0x201E: '"', 0x2018: "'", 0x2019: "'",
    0x2032: "'", 0x2033: '"',
    0x2013: "-", 0x2014: "-", 0x2010: "-", 0x2011: "-", 0x2212: "-",
}  # fmt: skip
"""What a rich text makes of blanks, quotes and dashes."""
_TIMES = re.compile(r"(?<=\b0)\u00d7(?=[0-9A-Fa-f])")
"""What it makes of the ``x`` of a number in hexadecimal."""
_ESCAPED = re.compile(r"\\([_*\[\]#~`])")
_NOTE = re.compile(r"<{2,12}[ \t]*|[ \t]<-{1,40}[ \t]*|[ \t]<={2,40}[ \t]*")
_BOX: Final = "\u2502\u2503\u2551 "  # a terminal multiplexer's frame
_BARS: Final = frozenset(_BOX.strip())
_PRIORITY = re.compile(
    r"<\d{1,3}>(?:1 (?P<at>\d{4}-\S{10,40}) (?P<host>\S{1,255}) (?P<program>\S{1,48}) (?P<pid>\S{1,128}) \S{1,32}"
    r" (?:-|\[.{0,400}?\])(?: |$)|(?=[A-Z][a-z]{2} |\d{4}-|\[))"
)
_EPOCHS: Final = ("1", "[1")
_EPOCH = re.compile(
    r"\[?(?P<seconds>1\d{9})(?:\.(?P<fraction>\d{1,6})\d{0,3})?\]? {1,2}"
    r"(?P<rest>(?:[A-Za-z][\w.-]{0,126} )?[A-Za-z][\w./@-]{0,63}(?:\[\d{1,10}\])?: \S)"
)


def shows_codes(block: bytes) -> bool:
    """Whether codes of a terminal, or tabs, stand in letters in a block.

    A single letter is looked for ten times as fast as several, and most blocks do not hold it.
    """
    if b"#" in block and _SHOWN_NUMBERS.search(block) is not None:
        return True
    return b"^" in block and b"^[[" in block


def quote_marks(raw: str) -> str:
    """Marks of a quotation in front of a line, as they stand there."""
    match = _QUOTE.match(raw) if raw[:3].lstrip(" ").startswith(">") else None
    return match[0] if match is not None else ""


def clean(raw: str) -> tuple[str, int]:
    """Text without terminal codes, entities, web marks and quote marks; and how often it was quoted."""
    text = raw if raw.isascii() else _plain(raw)
    if "\x08" in text:
        text = _as_shown(text)
    if "\x1b" in text or "#0" in text or "^[" in text:
        text = _without_codes(text)
    if LOST_CODE in text:
        text = _LOST_CODES.sub("", text)
    if not text.isprintable():
        text = _CONTROL.sub("", text.replace("\t", "        ") if "\t" in text else text)
    if "&" in text and ";" in text:
        text = html.unescape(text).replace("\xa0", " ")
    if "<" in text and ">" in text:
        text = _without_tags(_without_priority(text))
    if "\\" in text:
        text = _ESCAPED.sub(r"\1", text)
    if text[-1:] in _FENCE_ENDS or text[:1] in _FENCE_STARTS:
        text = _without_fence(text)
    if text[:2].startswith(_EPOCHS):
        text = _with_date(text)
    if text[2:4] == ". " and (headed := _WIKI_HEADING.match(text)):
        text = f"=== {headed['text']} ==="
    quote = 0
    if text[:3].lstrip(" ").startswith(">") and (match := _QUOTE.match(text)):
        quote = match[0].count(">")
        text = text[match.end() :]
    return text.rstrip(), quote


def split_note(text: str) -> tuple[str, str]:
    """Cut off what a person wrote behind the data: ``<<< ...`` or an arrow. Numbers in it are never data."""
    if "<" not in text or (match := _NOTE.search(text)) is None:
        return text, ""
    if match.start() == 0 and text.endswith(">>"):
        return text, ""  # marks on both sides are those of a heading
    return text[: match.start()].rstrip(), text[match.end() :].strip()


def _plain(text: str) -> str:
    """Blanks, quotes and dashes as they are typed, and no frame of a terminal multiplexer around the line."""
    text = _DASHED.sub("--", text).translate(_PLAIN)
    if "\u00d7" in text:
        text = _TIMES.sub("x", text)
    if text[:1] in _BARS:
        return text.strip(_BOX)
    return text.rstrip(_BOX) if text[-1:] in _BARS else text


def _as_shown(text: str) -> str:
    """What a terminal shows of a line that was typed with corrections, or printed twice over itself."""
    shown: list[str] = []
    place, begin = 0, 0
    for match in _TYPED.finditer(text[:LONGEST_TYPED]):
        place = _put(shown, place, text[begin : match.start()])
        begin = match.end()
        count = min(int(match["count"] or 1), LONGEST_TYPED)
        if match["back"] or match["move"] == "D":
            place = max(place - (1 if match["back"] else count), 0)
        elif match["move"] == "C":
            place = min(place + count, len(shown))
        elif match["move"] == "P":
            del shown[place : place + count]
        elif match["move"] == "@":
            shown[place:place] = " " * min(count, LONGEST_TYPED - len(shown))
        elif match["move"] == "K":
            del shown[place:]
    _put(shown, place, text[begin:])
    return "".join(shown)


def _put(shown: list[str], place: int, text: str) -> int:
    """Letters on a line from a place on; what stands there is gone. The place behind them."""
    shown[place : place + len(text)] = text
    return place + len(text)


def _without_codes(text: str) -> str:
    """A line without codes of a terminal, also where they stand in letters."""
    text = _ANSI.sub("", text)
    return _SHOWN_CODES.sub("", text).replace("#011", "        ") if "#0" in text or "^[" in text else text


def _without_tags(text: str) -> str:
    """A heading of a web page becomes one between marks, an element that tells a node or a command a line of its own
    words.
    """
    if "</" in text and ("</h" in text or "</H" in text or "</s" in text):
        text = _WEB_HEADING.sub(r"=== \g<text> ===", text)
    if (element := _ELEMENT.match(text)) is not None and (stated := _heading_of(element)):
        return stated
    if text[-1:] == ">" and "=" in text and (host := _OF_HOST.match(text)) is not None:
        at = _WHEN.search(f"{host['before']}{host['behind']}")
        return (
            f"=== host: {html.unescape(host['value'])} {at['at']} ===" if at is not None else f"Host: {host['value']}"
        )
    if "[CDATA[" in text or "]]></" in text:
        text = _in_section(text)
    return _TAG.sub("", text)


def _in_section(text: str) -> str:
    """What a line holds of a section of XML, without the elements around it."""
    at = text.find("<![CDATA[") + 1
    begin = at + 8 if at and text.lstrip()[:1] == "<" else 0
    end = text.find("]]></", begin)
    return text[begin:] if end < 0 else text[begin:end]


def _heading_of(element: re.Match[str]) -> str:
    """What an element with one attribute, or with a text alone, tells of what stands below: ``<node name="carp1">``."""
    of, named, content = element["of"].lower(), element["named"], element["text"]
    if (named is None) == (content is None):
        return ""
    value = html.unescape(element["value"] or content).strip()
    if of in _OF_NODES and (named is None or named.lower() in _NAMING):
        return f"Host: {value}"
    if of in _OF_COMMANDS and (named is None or named.lower() in _TYPED_AS):
        return f"Command: {value}"
    return ""


def _without_fence(text: str) -> str:
    """A line without the mark of a quoted output that stands on it with the first or the last of the output."""
    if text[-2:] == "}}" and (typed := _TYPED_AT.match(text.strip())) is not None:
        return f"{typed['name']}: {typed['command']}"
    if "`" not in text and "[/" not in text and _NAMED_FENCE.search(text) is None:
        return text
    body = text.strip()
    if "[/" in text:
        text = _BULLETIN.sub("", text)
        body = text.strip()
    if len(body) > LONGEST_FENCED or _LANGUAGE.match(body) is not None:
        return text
    if (span := _SPAN.match(body)) is not None:
        return span["text"]
    match = _FENCED.match(body)
    if match is None or not match["text"].strip() or not (match["open"] or match["end"]):
        return text
    return match["text"] if match["open"] else text[: text.rfind(match["end"])]


def _without_priority(text: str) -> str:
    """A line of syslog without its priority, as relays and ``dmesg -r`` print it; one of RFC 5424 as a
    journal would.
    """
    match = _PRIORITY.match(text)
    if match is None or match["at"] is None:
        return text[match.end() :] if match else text
    pid = "" if match["pid"] == "-" else f"[{match['pid']}]"
    return f"{match['at']} {match['host']} {match['program']}{pid}: {text[match.end() :]}"


def _with_date(text: str) -> str:
    """A message of a log with a date where seconds since 1970 stand in front of it."""
    match = _EPOCH.match(text)
    if match is None:
        return text
    at = datetime.fromtimestamp(int(match["seconds"]), UTC).strftime("%Y-%m-%dT%H:%M:%S")
    return f"{at}.{(match['fraction'] or '0'):0<6}+00:00 {text[match.start('rest') :]}"
