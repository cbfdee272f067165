"""What the next bundle must hold, as a script for each product that is safe to run while the cluster hangs.

Every command only reads. Each has a time limit, so that one which hangs with the cluster does not hang the script; the
number of samples and the pause between them are fixed; everything goes to a new folder that becomes one archive.
Which commands, ``collect.toml`` of each product says. Dumps of a daemon's memory, SysRq, crash dumps and whatever
freezes, fences, remounts or sets something are left to people.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Final

from apps.diagnosis.engine.core.words.knowledge import rows_of
from apps.diagnosis.engine.core.words.phrases import phrase
from parsers.dataclass import dataclass

COMMAND_LIMIT_S: Final = 60
EXTRA_MOST: Final = 20
COMMENT_CHARS: Final = 160
LOG_LINES: Final = 20_000
REMARK: Final = re.compile(r"\s*\([^()]*\)$")
LOG: Final = re.compile(r"/var/[\w./@%+-]+")

HEAD: Final = """\
#!/bin/bash
# Collects what Lockscope needs from one node of a {product} cluster. Run it as root on {nodes}, at the same time,
# while the trouble lasts. It takes about {minutes} and only reads: it sets, stops, freezes and removes nothing of the system.
# {samples} samples, {pause} s apart; a command that hangs is given up after {limit} s. The archive it makes is named at the end.
set -u
umask 077
node=$(uname -n)
out=$(mktemp -d "${{TMPDIR:-/tmp}}/lockscope-$node-XXXXXX") || exit 1
free_kb=$(df -Pk "$out" | awk 'NR == 2 {{ print $4 }}')
if [ "${{free_kb:-0}}" -lt 512000 ]; then
  echo "Less than 500 MB are free for $out: set TMPDIR to another place." >&2
  rmdir "$out"
  exit 1
fi

# run FILE COMMAND...: its output behind a prompt that names the node; what is not installed is passed over.
run() {{
  file=$out/$1.txt
  shift
  command -v "$1" > /dev/null 2>&1 || return 0
  {{
    echo "[root@$node ~]# date"
    date
    echo "[root@$node ~]# $*"
    timeout -k 5 {limit} "$@" 2>&1 | head -c 200000000
    echo
  }} >> "$file"
}}
"""  # noqa: E501 - as the tool prints it
TAIL: Final = """
archive=$out.tar.gz
tar -C "$(dirname "$out")" -czf "$archive" "$(basename "$out")" && rm -r -- "$out"
echo "Send this file: $archive"
"""


@dataclass(frozen=True, slots=True)
class Recipe:
    """What is always worth having of a product: once, and in each sample. Lines of shell that call ``run``.

    reads_only: patterns of whole commands that the script may run as well where the diagnosis lacks their output.
    each_s: how long the commands of one sample take by themselves. is_for_it_alone: no script where other products
    have one.
    """

    name: str
    samples: int
    pause_s: int
    once: tuple[str, ...]
    each: tuple[str, ...]
    reads_only: tuple[str, ...]
    each_s: int = 0
    is_for_it_alone: bool = False


@cache
def recipes() -> dict[str, Recipe]:
    """Recipes by product: ``collect.toml`` of each."""
    return {
        product: Recipe(
            row["name"],
            row["samples"],
            row["pause_s"],
            tuple(row["once"]),
            tuple(row["each"]),
            tuple(row["reads_only"]),
            each_s=row["each_s"],
            is_for_it_alone=row.get("is_for_it_alone", False),
        )
        for product, row in rows_of("collect").items()
    }


@cache
def reads_only() -> re.Pattern[str]:
    """Commands that may be run as they are while the cluster hangs."""
    return re.compile("|".join(pattern for recipe in recipes().values() for pattern in recipe.reads_only))


@dataclass(frozen=True, slots=True)
class Script:
    """A script to copy or download, with what a reader wants to know before running it."""

    product: str
    name: str
    text: str
    samples: int
    seconds: int
    nodes: tuple[str, ...]

    @property
    def minutes(self) -> str:
        """How long it takes, in words."""
        count = max(1, -(-self.seconds // 60))
        return f"{count} minute{'' if count == 1 else 's'}"


def scripts(products: Sequence[str], missing: Sequence[Mapping[str, Any]]) -> list[Script]:
    """One for each product of the case; what is missing is asked for in the first."""
    known = [
        product
        for product in products
        if product in recipes() and (len(products) == 1 or not recipes()[product].is_for_it_alone)
    ]
    return [_script(product, missing if number == 0 else ()) for number, product in enumerate(known)]


def _script(product: str, missing: Sequence[Mapping[str, Any]]) -> Script:
    recipe = recipes()[product]
    wanted, left = _wanted_commands(missing)
    nodes = tuple(dict.fromkeys(str(item["node"]) for item in missing if item.get("node")))
    seconds = (
        recipe.samples * recipe.each_s
        + (recipe.samples - 1) * recipe.pause_s
        + sum(_length(command) for command in wanted)
    )
    parts = [
        HEAD.format(
            product=recipe.name,
            nodes=_where(nodes),
            samples=recipe.samples,
            pause=recipe.pause_s,
            limit=COMMAND_LIMIT_S,
            minutes=_minutes(seconds),
        ),
        "# Once",
        *recipe.once,
        *_extra(wanted),
        "",
        f"# {recipe.samples} times",
        f"for sample in {' '.join(str(number) for number in range(1, recipe.samples + 1))}; do",
        f'  echo "sample $sample of {recipe.samples}"',
        *(f"  {line}" for line in recipe.each),
        f"  [ $sample -lt {recipe.samples} ] && sleep {recipe.pause_s}",
        "done",
        *_by_hand(left),
        TAIL.lstrip("\n"),
    ]
    return Script(product, recipe.name, "\n".join(parts), recipe.samples, seconds, nodes)


def _where(nodes: Sequence[str]) -> str:
    return _comment(f"every node, above all {', '.join(nodes)}") if nodes else "every node"


def _minutes(seconds: int) -> str:
    return f"{max(1, -(-seconds // 60))} min"


def _wanted_commands(missing: Sequence[Mapping[str, Any]]) -> tuple[list[str], list[tuple[str, str]]]:
    """Commands that only read and are whole; and the others with what they are wanted for."""
    wanted: dict[str, None] = {}
    left: dict[str, str] = {}
    for item in missing:
        for given in item["commands"]:
            command = REMARK.sub("", given).strip()
            if reads_only().fullmatch(command) or LOG.fullmatch(command):
                wanted[command] = None
            else:
                left.setdefault(command, item["what"])
    return list(wanted)[:EXTRA_MOST], list(left.items())[:EXTRA_MOST]


def _extra(wanted: Sequence[str]) -> Iterator[str]:
    if wanted:
        yield phrase("collect.lacking")
    for number, command in enumerate(wanted, start=1):
        yield (
            f"run asked-{number} tail -n {LOG_LINES} {command}"
            if LOG.fullmatch(command)
            else f"run asked-{number} {command}"
        )


def _by_hand(left: Sequence[tuple[str, str]]) -> Iterator[str]:
    """As comments: they name a file system, set something, or need judgement."""
    if left:
        yield "\n" + phrase("collect.by-hand")
    for command, what in left:
        yield f"#   {_comment(command)}   ({_comment(what)})"


def _comment(text: str) -> str:
    """Text of a dump in a comment: one line that can not end it."""
    return "".join(sign if sign.isprintable() else " " for sign in text)[:COMMENT_CHARS]


def _length(command: str) -> int:
    """Seconds that a command takes by its own arguments."""
    if match := re.search(r"(?:interval=)?\b([0-9]+) (?:count=)?([0-9]+)$", command):
        return min(COMMAND_LIMIT_S, int(match[1]) * int(match[2]))
    return 0
