"""Cases of the Veritas cluster stack written as the text that the tools print."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from apps.diagnosis.engine.analysis import analyse, inputs_of
from apps.diagnosis.engine.core.model import Diagnosis, Finding, Verdict
from apps.diagnosis.engine.core.words.wording import MOST_WORDS, words
from apps.diagnosis.engine.report import Clock

DATE = "Tue Mar  9 14:20:{second:02d} CET 2027"


def diagnosis_of(folder: Path, *texts: str, **files: str) -> Diagnosis:
    """The diagnosis of some transcripts, and of files by name (``__`` stands for a slash, ``_dot_`` for a dot). Its
    verdict is a sentence of at most fourteen words, names and figures filled in.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for index, text in enumerate(texts):
        (folder / f"part{index}.txt").write_text(text, encoding="utf-8")
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_dot_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    with TemporaryDirectory() as workspace:
        report = analyse(list(inputs_of([str(folder)])), Path(workspace), clock=Clock())
    assert not [one for one in report.diagnosis.missing if one.what.startswith("rule ")]
    title = verdict_in(report.diagnosis).title
    assert words(title) <= MOST_WORDS, f"{words(title)} words: {title}"
    return report.diagnosis


PROMPT = re.compile(r"(?:\[root@(?P<host>[\w-]+) ~\]|(?P<bare>[a-z]+\d*))# (?P<command>.+)\n")


def by_folder(text: str) -> dict[str, str]:
    """Each output of a transcript as a file without its prompt, in the folder of its node."""
    parts = list(PROMPT.finditer(text))
    files: dict[str, str] = {}
    for one, after in zip_longest(parts, parts[1:]):
        name = f"{one['host'] or one['bare']}__{re.sub(r'[^a-z0-9]+', '_', one['command'].lower()).strip('_')}"
        end = after.start() if after is not None else len(text)
        again = sum(file.startswith(name) for file in files)
        files[f"{name}{again or ''}_dot_txt"] = text[one.end() : end]
    return files


def verdict_in(diagnosis: Diagnosis) -> Verdict:
    """The verdict, which every case has."""
    assert diagnosis.verdict is not None
    return diagnosis.verdict


def judged(case: Mapping[str, Any], folder: Path) -> Diagnosis:
    """The diagnosis of a text, whose verdict has one of the forms, the severity and the words that the case names."""
    diagnosis = diagnosis_of(folder, **case["files"])
    verdict, others = verdict_in(diagnosis), [(one.severity, one.title) for one in diagnosis.findings]
    assert verdict.form in case["forms"], (verdict, others)
    assert verdict.severity == case.get("severity", verdict.severity), (verdict, others)
    title = verdict.title.replace("\xa0", " ")
    for pattern in case.get("says", []):
        assert re.search(pattern, title, re.IGNORECASE), (pattern, title, others)
    return diagnosis


def found(folder: Path, ref: str, *texts: str, **files: str) -> list[Finding]:
    """Findings of one rule."""
    return [finding for finding in diagnosis_of(folder, *texts, **files).findings if finding.ref == ref]


def one(folder: Path, ref: str, *texts: str, **files: str) -> Finding:
    """The one finding of a rule."""
    [finding] = found(folder, ref, *texts, **files)
    return finding


def prompt(node: str, command: str, output: str, date: str = "") -> str:
    """A command at the prompt of a node, with the date above it."""
    when = f"[root@{node} ~]# date\n{date}\n" if date else ""
    return f"{when}[root@{node} ~]# {command}\n{output.rstrip()}\n"


def storm(node: str, second: int = 30, *, pull: int = 30000, minute: int = 20) -> str:
    """A delta sample of ten seconds in which a node pulls inodes."""
    stamp = (
        f"14:{minute:02d}:{second:02d}.100 Tue 09 Mar 2027 02:{minute:02d}:{second:02d} PM CET -- delta "
        "(10.000 sec sample)"
    )
    rows = (
        f"vxi_hlockgrant {pull:20d}    vxi_hlockrevoke                   0\nvxi_glockgrant {pull:20d}    "
        f"vxi_strong_pullowner {pull:14d}\n"
    )
    return prompt(node, "vxfsstat -s -t 10 /srv/pots", f"{stamp}\n{rows}")


def slowed(node: str, seconds: float = 109.0) -> str:
    """A walk that was timed slow, then quick."""
    walk = "time find /srv/pots/a -ls | wc -l"
    long = f"90000\nreal    {int(seconds // 60)}m{seconds % 60:.3f}s\nuser    0m1.0s\nsys     0m1.0s\n"
    quick = "90000\nreal    0m1.900s\nuser    0m1.0s\nsys     0m1.0s\n"
    return prompt(node, walk, long) + prompt(node, walk, quick)
