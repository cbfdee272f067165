"""JSON reports on the articles and the sample cases, each made once in a run of the tests, whichever process needs it
first.
"""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from apps.diagnosis.engine.analysis import Input, analyse, inputs_of
from apps.diagnosis.engine.report import Clock
from apps.ingest.samples import SAMPLES
from tests.references import article
from tests.services import RUNNING


@cache
def report_on_article(name: str) -> dict[str, Any]:
    """Shared by all tests: none may change it."""
    path = article(name)
    report: dict[str, Any] = json.loads(_kept(name, lambda: list(inputs_of([str(path)]))))
    return report


@cache
def report_on_sample(key: str) -> dict[str, Any]:
    """Shared by all tests: none may change it."""
    report: dict[str, Any] = json.loads(text_on_sample(key))
    return report


@cache
def text_on_sample(key: str) -> str:
    """The report to the letter."""
    sample = next(sample for sample in SAMPLES if sample.key == key)
    return _kept(key, lambda: [bundle(built(key), sample.filename)])


@cache
def built(key: str) -> bytes:
    """A sample's bundle."""
    return next(sample for sample in SAMPLES if sample.key == key).build()


def bundle(content: bytes, name: str) -> Input:
    """Bytes as something to analyse."""
    return Input(name, lambda: io.BytesIO(content))


def text_on(*sources: Input) -> str:
    """A report made now."""
    with TemporaryDirectory() as folder:
        return "".join(analyse(list(sources), Path(folder), clock=Clock()).write())


def report_on(*sources: Input) -> dict[str, Any]:
    """The same, read."""
    report: dict[str, Any] = json.loads(text_on(*sources))
    return report


def report_on_texts(**texts: str) -> dict[str, Any]:
    """Of some files by their names."""
    return report_on(*(bundle(text.encode(), name) for name, text in texts.items()))


def _kept(name: str, sources: Callable[[], list[Input]]) -> str:
    """Made by one process of the run and read by the others; two that begin at the same moment both make it."""
    file = Path(os.environ[RUNNING]) / f"report-{name}.json"
    if not file.exists():
        own = file.with_suffix(f".{os.getpid()}")
        own.write_text(text_on(*sources()), encoding="utf-8")
        own.rename(file)
    return file.read_text(encoding="utf-8")
