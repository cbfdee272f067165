"""GFS2 queues drawn as text dumps of nodes and captures, and the diagnosis of such a picture."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO
from pathlib import Path

from apps.diagnosis.engine.core.facts.case import Case
from apps.diagnosis.engine.core.facts.store import Facts, FactsWriter, Source
from apps.diagnosis.engine.core.model import Diagnosis, Finding
from apps.diagnosis.engine.diagnose import diagnose
from apps.diagnosis.engine.products import PRODUCTS
from parsers.output import Output
from parsers.sections.reader import Hints, read
from parsers.text import blocks

IDLE = "G:  s:SH n:2/9999 f:Iqob t:SH d:EX/0 a:0 v:0 r:3 m:200 p:1"


def glock_picture(
    name: str,
    *queue: str,
    state: str = "EX",
    flags: str = "Iqob",
    demote: str = "EX/0",
    inode_type: int | None = 8,
    hold: str = " m:200",
) -> list[str]:
    """A glock with its queue: ``"held EX 17 tar"``, ``"wants SH 18 imapd"``; more words are flags: ``"wants EX 3 cp
    t"``.
    """
    lines = [f"G:  s:{state} n:{name} f:{flags} t:{state} d:{demote} a:0 v:0 r:9{hold} p:1"]
    for entry in queue:
        how, mode, pid, command, *extra = entry.split()
        letters = ("H" if how == "held" else "W") + "".join(extra)
        lines.append(f" H: s:{mode} f:{letters} e:0 p:{pid} [{command}] gfs2_open_common+0x6a/0x160 [gfs2]")
    if inode_type is not None:
        lines.append(f" I: n:12/{int(name.split('/')[1], 16)} t:{inode_type} f:0x00 d:0x00000000 s:3864 p:1")
    return lines


def picture_facts(
    folder: Path,
    dumps: Mapping[str, Sequence[Sequence[str]]],
    *,
    every_s: int = 30,
    late_s: dict[str, int] | None = None,
    fs: str = "clu:mail",
) -> Case:
    """Facts of dumps: per node its captures, each a list of lines; ``late_s`` shifts the clock of a node's captures."""
    sources = []
    for number, (node, captures) in enumerate(dumps.items()):
        text = "".join(_text(node, captures, every_s, (late_s or {}).get(node, 0), fs))
        out = Output(FactsWriter(folder / str(number)))
        read(blocks(BytesIO(text.encode())), out, Hints(path=f"{node}/glocks.txt"))
        out.close()
        sources.append(Source(number, f"{node}/glocks.txt", folder / str(number)))
    return Case(Facts(sources), PRODUCTS)


def _text(node: str, captures: Sequence[Sequence[str]], every_s: int, late_s: int, fs: str) -> Iterator[str]:
    for place, lines in enumerate(captures):
        at = place * every_s + late_s
        yield f"[root@{node} ~]# date\nThu Nov 12 14:{at // 60:02d}:{at % 60:02d} UTC 2026\n"
        yield f"[root@{node} ~]# cat /sys/kernel/debug/gfs2/{fs}/glocks\n" + "\n".join([*lines, IDLE]) + "\n"


def case_of(folder: Path, dumps: Mapping[str, Sequence[Sequence[str]]], **how: object) -> Diagnosis:
    """The diagnosis of a picture."""
    case = picture_facts(folder, dumps, **how)  # type: ignore[arg-type]
    return diagnose(case.store, case)


def refs(diagnosis: Diagnosis) -> dict[str, str]:
    """Severity of the first finding of each rule."""
    found: dict[str, str] = {}
    for finding in diagnosis.findings:
        found.setdefault(finding.ref, finding.severity)
    return found


def lock_refs(diagnosis: Diagnosis) -> dict[str, str]:
    """``refs`` of the rules on glocks, without those on workloads, whose names the pictures may happen to bear."""
    return {ref: severity for ref, severity in refs(diagnosis).items() if ref.startswith("GL-")}


def facts_of_texts(folder: Path, texts: Mapping[str, str]) -> Case:
    """Facts of texts by path."""
    sources = []
    for number, (path, text) in enumerate(texts.items()):
        out = Output(FactsWriter(folder / str(number)))
        read(blocks(BytesIO(text.encode())), out, Hints(path=path))
        out.close()
        sources.append(Source(number, path, folder / str(number)))
    return Case(Facts(sources), PRODUCTS)


def diagnosis_of_texts(folder: Path, texts: Mapping[str, str]) -> Diagnosis:
    """The diagnosis of texts by path."""
    case = facts_of_texts(folder, texts)
    return diagnose(case.store, case)


def first_of(diagnosis: Diagnosis, ref: str) -> Finding:
    """The first finding of a rule."""
    return next(finding for finding in diagnosis.findings if finding.ref == ref)
