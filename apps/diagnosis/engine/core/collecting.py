"""What the next bundle must hold, as a script for each product that is safe to run while the cluster hangs.

Every command only reads. Each has a time limit, so that one which hangs with the cluster does not hang the script; the
number of samples and the pause between them are fixed; everything goes to a new folder that becomes one archive.
``mmfsadm dump``, SysRq, crash dumps and whatever freezes, fences, remounts or sets something is left to people.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

COMMAND_LIMIT_S: Final = 60
EXTRA_MOST: Final = 20
COMMENT_CHARS: Final = 160
LOG_LINES: Final = 20_000
REMARK: Final = re.compile(r"\s*\([^()]*\)$")
READS_ONLY: Final = re.compile(
    r"mmdiag --(?:waiters|iohist|network|deadlock|version|config|stats|memory)|mmls(?:nsd|disk|fs|mgr"
    r"|cluster|config|pool|fileset)(?: -[A-Za-z])*|mmgetstate(?: -[aLs])*|lltstat(?: -[nvcp]+)?(?: "
    r"active)?|lltconfig -[FT] query|gabconfig -a|/opt/VRTSllt/lltshow -p 5|/opt/VRTSgab/gabshow\.pl "
    r"-port f flowcontrol|vxdctl -c mode|vxclustadm -v nodestate|hastatus -sum|vxprint -ht|vxfsstat -s -t "
    r"10(?: -c [1-9])? /[\w./@%+-]+|vxtunefs /[\w./@%+-]+|vxdmpadm iostat show all interval=5 "
    r"count=1?[0-9]|multipath -ll|multipathd show (?:config|paths)|iostat -xt? [0-9] [12]?[0-9]|vmstat "
    r"[0-9] [12]?[0-9]|sar -d -p|dmesg -T|netstat -[is]|ip -s link|mount(?: -v)?|lsblk -s|date|uname "
    r"-[ar]|dlm_tool ls|dlm_tool lockdebug [\w.-]+|grep \. /sys/kernel/config/dlm/cluster/\*_size|cat(?: "
    r"/etc/(?:llttab|llthosts|vx/tunefstab)| /sys/kernel/(?:debug|config)/[\w./*-]+)+"
)
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
    """What is always worth having of a product: once, and in each sample. Lines of shell that call ``run``."""

    name: str
    samples: int
    pause_s: int
    once: tuple[str, ...]
    each: tuple[str, ...]
    each_s: int = 0
    """How long the commands of one sample take by themselves."""


RECIPES: Final[dict[str, Recipe]] = {
    "spectrum-scale": Recipe(
        "IBM Storage Scale",
        5,
        20,
        (
            "run cluster mmlscluster",
            "run config mmlsconfig",
            "run managers mmlsmgr",
            "run nsds mmlsnsd",
            "run version mmdiag --version",
            "run in-force mmdiag --config",
            "run paths multipath -ll",
        ),
        (
            "run waiters mmdiag --waiters",
            "run network mmdiag --network",
            "run iohist mmdiag --iohist",
            "run deadlock mmdiag --deadlock",
            "run iostat iostat -xt 1 2",
        ),
        2,
    ),
    "veritas": Recipe(
        "Veritas CFS",
        3,
        20,
        (
            "run gab gabconfig -a",
            "run links lltstat -nvv active",
            "run llt-flow lltconfig -F query",
            "run master vxdctl -c mode",
            "run tab cat /etc/llttab /etc/llthosts",
            "run mounts mount -v",
            'for mount in $(awk \'$3 == "vxfs" { print $2 }\' /proc/mounts); do run tunables vxtunefs "$mount"; done',
        ),
        (
            (
                "for mount in $(awk '$3 == \"vxfs\" { print $2 }' /proc/mounts); do run locks vxfsstat -s -t "
                '10 -c 2 "$mount"; done'
            ),
            "run llt lltstat",
            "run latency /opt/VRTSllt/lltshow -p 5",
            "run interfaces netstat -i",
            "run iostat iostat -xt 1 2",
        ),
        22,
    ),
    "gfs2": Recipe(
        "GFS2",
        3,
        30,
        (
            "run release uname -r",
            "run lockspaces dlm_tool ls",
            "run mounts mount",
            "run tables grep . /sys/kernel/config/dlm/cluster/rsbtbl_size /sys/kernel/config/dlm/cluster/lkbtbl_size",
            (
                "[ -d /sys/kernel/debug/gfs2 ] || echo 'No glocks: debugfs is not mounted, or no GFS2 is. "
                "This script mounts nothing.' >&2"
            ),
        ),
        (
            'for glocks in /sys/kernel/debug/gfs2/*/glocks; do [ -e "$glocks" ] && run glocks cat "$glocks"; done',
            (
                "for locks in /sys/kernel/debug/dlm/*_locks /sys/kernel/debug/dlm/*_waiters; do [ -e "
                '"$locks" ] && run dlm cat "$locks"; done'
            ),
            "run threads ps -eo pid,ppid,stat,wchan:32,comm",
            "run iostat iostat -xt 1 2",
        ),
        2,
    ),
    "storage": Recipe(
        "host with slow storage",
        6,
        10,
        ("run paths multipath -ll", "run disks lsblk -s", "run mounts mount"),
        ("run iostat iostat -xt 5 2", "run vmstat vmstat 1 2"),
        8,
    ),
}


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
    known = [product for product in products if product in RECIPES and (product != "storage" or len(products) == 1)]
    return [_script(product, missing if number == 0 else ()) for number, product in enumerate(known)]


def _script(product: str, missing: Sequence[Mapping[str, Any]]) -> Script:
    recipe = RECIPES[product]
    wanted, left = _asked(missing)
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


def _asked(missing: Sequence[Mapping[str, Any]]) -> tuple[list[str], list[tuple[str, str]]]:
    """Commands that only read and are whole; and the others with what they are wanted for."""
    wanted: dict[str, None] = {}
    left: dict[str, str] = {}
    for item in missing:
        for given in item["commands"]:
            command = REMARK.sub("", given).strip()
            if READS_ONLY.fullmatch(command) or LOG.fullmatch(command):
                wanted[command] = None
            else:
                left.setdefault(command, item["what"])
    return list(wanted)[:EXTRA_MOST], list(left.items())[:EXTRA_MOST]


def _extra(wanted: Sequence[str]) -> Iterator[str]:
    if wanted:
        yield "# What the diagnosis of this case lacks"
    for number, command in enumerate(wanted, start=1):
        yield (
            f"run asked-{number} tail -n {LOG_LINES} {command}"
            if LOG.fullmatch(command)
            else f"run asked-{number} {command}"
        )


def _by_hand(left: Sequence[tuple[str, str]]) -> Iterator[str]:
    """As comments: they name a file system, set something, or need judgement."""
    if left:
        yield "\n# Not run by this script, as it needs a name or your judgement:"
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
