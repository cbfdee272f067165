"""Reading and judging what a command line names, without a database, a server or an account: what ``manage.py analyze``
does. It knows no Django, which takes a tenth of the time of a small text to import.
"""

from __future__ import annotations

import gc
import os
import shutil
import sys
import tempfile
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Sequence
from io import TextIOBase
from pathlib import Path
from stat import S_ISDIR, S_ISFIFO, S_ISREG
from typing import BinaryIO, Final, NoReturn, TextIO
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from apps.diagnosis.engine.analysis import Input, analyse, inputs_of
from apps.diagnosis.engine.report import Clock
from apps.diagnosis.engine.report_text import report_text
from parsers.messages.catalogue import entries_in_force, use_entries
from parsers.messages.site_entries import read_folder

GC_ALLOCATIONS: Final = 100_000
"""Reading makes millions of tuples that no cycle holds; looking for cycles after each 700 would take a tenth of the
time.
"""

FOLDER_OF_ENTRIES: Final = "LOCKSCOPE_KNOWLEDGE_DIR"
FLAGS: Final = {
    "--json": "print JSON (lockscope.analysis/1)",
    "--summary": "with --json: leave out the long lists",
}
VALUES: Final = {
    "--node": "name of the node all inputs come from",
    "--tz": "zone of clocks that print none, such as Europe/Berlin",
}


class RefusedError(Exception):
    """A path can't be read, or an argument is wrong: exit 2."""


def add_arguments(parser: ArgumentParser) -> None:
    """Arguments as documented in the README; wrong ones are reported in one line."""
    parser.add_argument("paths", nargs="+", metavar="PATH", help="file, folder, archive, or - for standard input")
    for name, meaning in FLAGS.items():
        parser.add_argument(name, action="store_true", help=meaning)
    for name, meaning in VALUES.items():
        parser.add_argument(name, help=meaning)
    parser.error = _end  # type: ignore[method-assign]  # argparse offers no other way to leave the usage out


def options_of(arguments: Sequence[str]) -> Namespace | None:
    """What a call asks for; None where it has options that only Django knows, such as those of every command."""
    for one in arguments:
        name = one.partition("=")[0]
        if one.startswith("-") and one not in ("-", *FLAGS, *VALUES) and name not in VALUES:
            return None
    parser = ArgumentParser(add_help=False)
    add_arguments(parser)
    return parser.parse_args(arguments)


def call(options: Namespace) -> None:
    """The whole of a process that does nothing else."""
    try:
        print_analysis(options, sys.stdout)
    except RefusedError as error:
        sys.stderr.write(f"CommandError: {error}\n")
        raise SystemExit(2) from None


def print_analysis(options: Namespace, out: TextIO | TextIOBase) -> None:
    """Read, judge and print what was found. Raises RefusedError."""
    gc.freeze()  # modules stay until the end
    gc.set_threshold(GC_ALLOCATIONS, 20, 50)
    gc.enable()
    _take_entries(os.environ.get(FOLDER_OF_ENTRIES, ""))
    clock = Clock(_zone(options.tz) if options.tz is not None else None)
    with tempfile.TemporaryDirectory(prefix="lockscope-") as folder:
        inputs = _inputs(options.paths, Path(folder))
        workspace = Path(folder) / "facts"
        report = analyse(inputs, workspace, node=options.node, clock=clock, summary=options.summary)
        _print(report.write() if options.json else report_text(report), out)


def _print(pieces: Iterator[str], out: TextIO | TextIOBase) -> None:
    try:
        out.writelines(pieces)
        out.flush()
    except BrokenPipeError:  # the reader (head, less) has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _inputs(paths: list[str], folder: Path) -> list[Input]:
    for path in paths:
        _refuse(path, paths)
    inputs: list[Input] = []
    for number, path in enumerate(paths):
        if path == "-":
            inputs.append(_spooled("-", sys.stdin.buffer, folder / f"spool-{number}"))
        elif Path(path).is_fifo():
            with Path(path).open("rb") as pipe:
                inputs.append(_spooled(path, pipe, folder / f"spool-{number}"))
        else:
            inputs.extend(inputs_of([path]))
    for one in inputs:
        try:
            one.open().close()
        except OSError as error:
            raise RefusedError(f"{one.path}: {error.strerror or 'can not be read'}") from None
    return inputs


def _end(message: str) -> NoReturn:
    sys.stderr.write(f"analyze: {message}\n")
    raise SystemExit(2)


def _take_entries(folder: str) -> None:
    """Judge with the entries of the site: this command runs without the settings, which know their folder."""
    if not folder or entries_in_force().all:
        return
    entries, refused = read_folder(Path(folder))
    if refused:
        raise RefusedError(f"{FOLDER_OF_ENTRIES}: {'; '.join(refused)}")
    use_entries(entries)


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):  # OSError: the name of a folder of zones
        raise RefusedError(f"--tz: no zone is named {name}") from None


def _refuse(path: str, paths: list[str]) -> None:
    """End where a path can't be analysed: it is not there, is a device, or is the standard input a second time."""
    if path == "-":
        if paths.count("-") > 1:
            raise RefusedError("-: standard input can be read only once")
        return
    try:
        mode = Path(path).stat().st_mode
    except (OSError, ValueError) as error:  # ValueError: a name with a NUL
        reason = (
            "no such file or folder"
            if isinstance(error, FileNotFoundError)
            else getattr(error, "strerror", None) or "can not be read"
        )
        raise RefusedError(f"{path}: {reason}") from None
    if not (S_ISREG(mode) or S_ISDIR(mode) or S_ISFIFO(mode)):
        raise RefusedError(f"{path}: neither a file nor a folder")


def _spooled(path: str, stream: BinaryIO, spool: Path) -> Input:
    """A stream that can be read once, kept in a temporary file: findings need a second look at their lines."""
    with spool.open("wb") as file:
        shutil.copyfileobj(stream, file, 1 << 20)

    def opened() -> BinaryIO:
        return spool.open("rb")

    return Input(path, opened)
