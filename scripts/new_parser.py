"""``make new-parser NAME=...``: a module, its samples and their golden output, ready to be changed into the real thing.

What it writes reads a made-up table, passes all tests of a parser, and says at each place what belongs there. Nothing
is overwritten.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NAME = re.compile(r"[a-z][a-z0-9]{1,30}(?:_[a-z0-9]{1,30}){0,4}")
FOLDERS = {"spectrum-scale": "scale", "veritas": "veritas", "gfs2": "gfs2", "storage": "host", "": "host"}
PRODUCTS = tuple(FOLDERS)

MODULE = '''"""``{tool}``: what produces the text, on which node, and what it is about.

    heron1# {tool} /srv/reeds
    {tool} pages written         40312
    {tool} pages dropped             7

Yields ``Counter``: cumulative since the mount. The tool prints no time; it comes from a prompt's date line or the path.
Tolerated: rows left out, a last row that is cut. Source: name the manual page or document, and the release that was
seen.
"""

from __future__ import annotations

import re

from parsers.output import Output
from parsers.records import Counter
from parsers.registry import parser
from parsers.sections.reader import OpenSection

_ROW = re.compile(r"{tool} pages (written|dropped) {{1,60}}(\\d{{1,18}})$")


@parser("{name}", version=1, product="{product}", claims=r"{tool} pages (?:written|dropped) ", commands=("{tool}",))
def {name}(section: OpenSection, out: Output) -> None:
    """``{tool}``: pages that each node wrote."""
    for line in section:
        if (match := _ROW.match(line.text.strip())) is None:
            out.skip(line, "no row of page counts")
            continue
        section.add(
            Counter, line.number, scope=section.scope, source="{tool}", name=f"pages {{match[1]}}", kind="cumulative",
            unit="pages", value=float(match[2]), sample=line.number,
        )  # fmt: skip
'''
TYPICAL = """heron1# date
Tue Mar  5 10:15:00 CET 2024
heron1# {tool} /srv/reeds
{tool} pages written         40312
{tool} pages dropped             7
heron2# {tool} /srv/reeds
{tool} pages written         39871
{tool} pages dropped             0
"""
DAMAGED = """> heron1# {tool} /srv/reeds
> {tool}\u00a0pages written         40312   <<< never read a number from a remark: 99999
> {tool} pages drop
\x1b[1m{tool} pages dropped             7\x1b[0m
"""


def files(root: Path, name: str, tool: str, product: str) -> dict[Path, str]:
    """What is written where."""
    samples = root / "tests" / "fixtures" / "parsers" / name
    words = {"name": name, "tool": tool, "product": product}
    return {
        root / "parsers" / "formats" / FOLDERS[product] / f"{name}.py": MODULE.format(**words),
        samples / "typical.txt": TYPICAL.format(**words),
        samples / "damaged.txt": DAMAGED.format(**words),
    }


def write(root: Path, name: str, tool: str, product: str) -> list[Path]:
    """Write module and samples; raises where one is there already."""
    wanted = files(root, name, tool, product)
    if there := [path for path in wanted if path.exists()]:
        raise FileExistsError(f"{there[0].relative_to(root)} is there already")
    for path, text in wanted.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return list(wanted)


def golden(root: Path, name: str) -> int:
    """Write the golden output of the samples, and run the tests that every parser has to pass."""
    tests = ["tests/parsers/test_golden.py", "tests/parsers/test_any_bytes.py"]
    for further in (["--update-golden"], []):
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-n",
            "0",
            "-p",
            "no:cacheprovider",
            *tests[: 1 if further else 2],
            "-k",
            name,
        ]
        done = subprocess.run([*command, *further], cwd=root, check=False)  # noqa: S603  our own interpreter and tests
        if (code := done.returncode) != 0:
            return code
    return 0


def main(arguments: list[str], root: Path = ROOT) -> int:
    """0: written and green; 1: a test fails; 2: the arguments are wrong."""
    parser = argparse.ArgumentParser(prog="make new-parser", description=__doc__)
    parser.add_argument("name", help="name of the parser and its module, such as vxmystat or scale_tokens")
    parser.add_argument("--tool", help="command that prints it; the name without underscores if it is left out")
    parser.add_argument("--product", default="", choices=PRODUCTS)
    options = parser.parse_args(arguments)
    tool = options.tool or options.name.replace("_", "")
    if NAME.fullmatch(options.name) is None or re.fullmatch(r"[a-z][a-z0-9]{1,30}", tool) is None:
        parser.error("a name is made of small letters, digits and underscores, a tool of small letters and digits")
    try:
        written = write(root, options.name, tool, options.product)
    except FileExistsError as error:
        parser.error(str(error))
    code = golden(root, options.name)
    for path in written:
        sys.stdout.write(f"{path.relative_to(root)}\n")
    sys.stdout.write(
        "Change module and samples into the real thing, then `make golden`, and read what it wrote.\n"
        if not code
        else ""
    )
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
