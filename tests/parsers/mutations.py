"""What mails, tickets, terminals and collectors do to a whole text, and what must still be read from it."""

from __future__ import annotations

import html
import json
import quopri
import re
import textwrap
import tomllib
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Final

from parsers.records import CommandRun, Narration, Repeat, Section, Skipped
from parsers.records.kinds import RECORD_TYPES
from tests.parsers.golden import Reading

APART: Final = frozenset({Section, Skipped, CommandRun, Repeat, Narration})
"""Kinds that tell of the text's shape, which a mutation changes."""
Mutation = Callable[[str], str | bytes]


ENGLISH = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_PROMPT = re.compile(
    r"^(?:\[?[\w.-]+@[\w.-]+[^\n#$>]{0,40}[\]:~/\w-]*[#$>]|[\w.-]{1,40}[:~ ]{0,3}[#$>]|[#$]) +\S.*\n", re.MULTILINE
)
_HEADING = re.compile(r"[A-Za-z%#/_(][\w%/.#()_-]*")
_RULER = re.compile(r"[-= ]{3,}")


def each(change: Callable[[str], str]) -> Callable[[str], str]:
    """The change of one line, done to every line."""
    return lambda text: "".join(f"{change(line)}\n" for line in text.splitlines())


def _numbered(text: str) -> str:
    return "".join(f"{number}:{line}\n" for number, line in enumerate(text.splitlines(), start=1))


def _quoted_printable(text: str) -> str:
    return quopri.encodestring(text.encode(), quotetabs=False).decode("ascii")


def _wrapped(text: str) -> str:
    return "".join(f"{part}\n" for line in text.splitlines() for part in _pieces(line, 72))


def _pieces(line: str, width: int) -> list[str]:
    """As a mail program breaks a line: at blanks, never inside of a word."""
    if len(line) <= width:
        return [line]
    return textwrap.wrap(
        line, width, replace_whitespace=False, drop_whitespace=True, break_long_words=False, break_on_hyphens=False
    )


def _broken_at_80(text: str) -> str:
    """As a terminal breaks a line: at its edge, also inside of a word."""
    return "".join(f"{line[at : at + 80]}\n" for line in text.splitlines() for at in range(0, max(len(line), 1), 80))


def _counted(form: str) -> Mutation:
    return lambda text: "".join(form.format(number, line) + "\n" for number, line in enumerate(text.splitlines(), 1))


def _months(names: str) -> Mutation:
    """Stamps with months of another language, in the order of the year."""
    local = dict(zip(ENGLISH, names.split(), strict=True))
    stamp = re.compile(rf"\b({'|'.join(ENGLISH)})(?= {{1,2}}\d{{1,2}} )")
    return lambda text: stamp.sub(lambda match: local[match[1]], text)


def _without_prompts(text: str) -> str:
    return _PROMPT.sub("", text)


def _in_prose(text: str) -> str:
    above = "Hi all,\n\nwe see this since Monday morning, and users say that everything is slow:\n\n"
    return f"{above}{text}\n\nAny idea what we should look at next?\n\nThanks,\nTim\n"


def _column(text: str) -> str:
    """A column more at the end of each table: a heading of words, and rows of as many cells."""
    lines, made, at = text.split("\n"), list[str](), 0
    while at < len(lines):
        words = lines[at].split()
        end = at + 1
        if len(words) > 2 and all(map(_HEADING.fullmatch, words)):
            end += end < len(lines) and _RULER.fullmatch(lines[end]) is not None
            rows = end
            while rows < len(lines) and len(lines[rows].split()) == len(words) and lines[rows].split() != words:
                rows += 1
            if rows > end:
                width = max(map(len, lines[at:rows])) + 2
                made += [f"{lines[at]:<{width}}  zztop", *(f"{line}-------" for line in lines[at + 1 : end])]
                made += [f"{line:<{width}}      7" for line in lines[end:rows]]
                at = rows
                continue
        made += lines[at:end]
        at = end
    return "\n".join(made)


def _boxed(text: str) -> str:
    lines = [line.expandtabs() for line in text.splitlines()]
    width = max(map(len, lines), default=0)
    rule = "+" + "-" * (width + 2) + "+\n"
    return rule + "".join(f"| {line:<{width}} |\n" for line in lines) + rule


def _numbered_in_a_fence(text: str) -> str:
    rows = "\n".join(f"{number:6d}\t{line}" for number, line in enumerate(text.splitlines(), 1))
    return f"```\n{rows}\n```\n"


def _cells(line: str) -> list[str]:
    return re.split(r" {2,}|\t", line)


def _row(line: str) -> str:
    return "<tr>" + "".join(f"<td>{html.escape(cell, quote=False)}</td>" for cell in _cells(line)) + "</tr>"


def _spread_row(line: str) -> str:
    cells = "".join(f"    <td>\n      {html.escape(cell, quote=False)}\n    </td>\n" for cell in _cells(line))
    return f"  <tr>\n{cells}  </tr>"


def _typescript(text: str) -> str:
    typed = each(lambda line: f"\x1b[?2004h{line[: len(line) // 2]}zq\x08\x08\x1b[K{line[len(line) // 2 :]}\r")(text)
    return f"Script started on 2030-03-12 09:15:01+00:00\n{typed}Script done on 2030-03-12 09:16:01+00:00\n"


RICH: Final = str.maketrans({'"': "\u201d", "'": "\u2019"})


MUTATIONS: Final[dict[str, Mutation]] = {
    "wrapped at 72": _wrapped,
    "quoted": each(lambda line: f"> {line}"),
    "quoted three times": each(lambda line: f"> > > {line}"),
    "bars": each(lambda line: f"| {line}"),
    "indented": each(lambda line: f"    {line}"),
    "tabs as blanks": lambda text: text.expandtabs(8),
    "blanks padded": each(lambda line: re.sub(r"(?<=\S)( {2,})(?=\S)", r"\1    ", line)),
    "blanks at the end": each(lambda line: f"{line}  \t "),
    "line ends of Windows": lambda text: text.replace("\n", "\r\n"),
    "bare carriage returns": lambda text: text.replace("\n", "\r"),
    "colours": each(lambda line: f"\x1b[32m{line}\x1b[0m\x1b[K"),
    "code fence": lambda text: f"```\n{text.rstrip()}\n```\n",
    "code block of a ticket": lambda text: f"{{noformat}}\n{text.rstrip()}\n{{noformat}}\n",
    "web page": lambda text: f"<pre>{html.escape(text, quote=False)}</pre>\n",
    "JSON string": lambda text: json.dumps({"stdout": text}) + "\n",
    "text of a mail": lambda text: (
        f"Hello,\n\nthis is what we saw this morning. Can you have a look at it?\n\n{text.rstrip()}\n\nRegards,\nJo\n"
    ),
    "numbers of grep -n": _numbered,
    "commented by #": each(lambda line: f"# {line}"),
    "commented by ;": each(lambda line: f"; {line}"),
    "commented by //": each(lambda line: f"// {line}"),
    "commented by *": each(lambda line: f"* {line}"),
    "names of nodes": each(lambda line: f"node1: {line}"),
    "stamps and names of nodes": each(lambda line: f"2030-03-12 09:15:01 node1 | {line}"),
    "quoted-printable": _quoted_printable,
    "breaks of HTML": lambda text: "<br>".join(html.escape(line, quote=False) for line in text.splitlines()) + "\n",
    "blanks collapsed": each(lambda line: re.sub(r"(?<=\S) {2,}(?=\S)", " ", line)),
    "stamps of a container": each(lambda line: f"2030-03-12T09:15:01.123456789Z {line}"),
    "broken at 80": _broken_at_80,
    "wrapped and quoted": lambda text: each(lambda line: f"> {line}")(_wrapped(text)),
    "numbers of cat -n": _counted("{:6d}\t{}"),
    "numbers of an editor": _counted("{:4d} {}"),
    "numbers and a blank": _counted("{}: {}"),
    "tabs for gaps": each(lambda line: re.sub(r"(?<=\S) {2,}(?=\S)", "\t", line)),
    "in a box": _boxed,
    "cells between bars": each(lambda line: f"|{'|'.join(_cells(line))}|"),
    "table of a web page": each(_row),
    "table of a web page, spread": each(_spread_row),
    "paragraphs of a web page": each(lambda line: f"<div>{html.escape(line, quote=False)}</div>"),
    "blanks of a web page": each(lambda line: html.escape(line, quote=False).replace("  ", "&nbsp; ") + "<br/>"),
    "quotes and dashes of a rich text": each(lambda line: re.sub(r"(?<=\s)--(?=\w)", "\u2013", line).translate(RICH)),
    "blanks that do not break": each(lambda line: line.replace(" ", "\u00a0")),
    "soft breaks": each(lambda line: re.sub(r"(?<=\w)(?=[.,:/])", "\u200b", line)),
    "UTF-16": lambda text: text.encode("utf-16"),
    "UTF-16 without a mark": lambda text: text.encode("utf-16-be"),
    "letters of Western Europe": lambda text: text.encode("cp1252", "replace"),
    "line ends mixed": lambda text: re.sub(r"([^\n]*\n)([^\n]*)\n", r"\1\2\r\n", text),
    "recorded with corrections": _typescript,
    "printed twice over itself": each(lambda line: re.sub(r"(\w)", "\\1\x08\\1", line)),
    "pane of a terminal": each(lambda line: f"{line.expandtabs():<100}\u2502"),
    "fence on the line": lambda text: f"```{text.rstrip()}```\n",
    "tags of a forum": lambda text: f"[code]{text.rstrip()}[/code]\n",
    "title of a code block": lambda text: f"{{code:title=a.log|borderStyle=solid}}\n{text.rstrip()}\n{{code}}\n",
    "marks of code": each(lambda line: f"`{line}`" if line.strip() else line),
    "blank lines between": each(lambda line: f"{line}\n"),
    "stamp in brackets": each(lambda line: f"[2030-03-12 09:15:01] {line}"),
    "months in German": _months("Jan Feb Mär Apr Mai Jun Jul Aug Sep Okt Nov Dez"),
    "months in French": _months("janv. févr. mars avril mai juin juil. août sept. oct. nov. déc."),
    "months in Chinese": _months("1月 2月 3月 4月 5月 6月 7月 8月 9月 10月 11月 12月"),
    "decimal comma": lambda text: re.sub(r"(?<![\w.:,/-])(\d+)\.(\d+)(?![\w.:/-])", r"\1,\2", text),
    "without prompts": _without_prompts,
    "in prose": _in_prose,
    "a column more": _column,
    "numbers below a fence": _numbered_in_a_fence,
    "stamped in a JSON string": lambda text: (
        json.dumps({"stdout": each(lambda line: f"2030-03-12T09:15:01.123456789Z {line}")(text)}) + "\n"
    ),
    "stamps with a wide gap": lambda text: re.sub(r"(?m)^([A-Z][a-z]{2}) {1,2}(?=\d{1,2} \d\d:)", r"\1      ", text),
    "blank lines at both ends": lambda text: f"\n\n\n{text}\n\n\n",
}


def found(text: str | bytes) -> Counter[str]:
    """How many records of each kind are read from the text."""
    reading = Reading(text)
    assert reading.adds_up
    return Counter({kind.__name__: len(reading.of(kind)) for kind in RECORD_TYPES if kind not in APART})


def exceptions() -> dict[str, frozenset[str]]:
    """Samples that each mutation costs records, as ``mutation_exceptions.toml`` lists them with the reasons."""
    listed = tomllib.loads(Path(__file__).with_name("mutation_exceptions.toml").read_text(encoding="utf-8"))
    found: dict[str, frozenset[str]] = {}
    for row in listed["exception"]:
        if row["reason"]:
            found[row["mutation"]] = found.get(row["mutation"], frozenset()) | frozenset(row["samples"])
    return found
