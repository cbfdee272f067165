"""A figure that several pages show is the same on all of them: pages of cases of each product are read and compared."""

from __future__ import annotations

import html
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from apps.cases.models import Case
from apps.web.templatetags.lockscope import duration
from tests.builders import People, make_case
from tests.diagnosis import clusters
from tests.diagnosis.cases import read_into
from tests.ingest.material import bundle, tar, waiters
from tests.part import part
from tests.reports import built

TABS = (
    "diagnosis:timeline",
    "diagnosis:waiters",
    "diagnosis:graph",
    "diagnosis:locks",
    "diagnosis:settings",
    "cases:files",
)
REPORTS = ("diagnosis:report", "diagnosis:export_markdown")
CASES = ("small", "one node", "clock only")
SAMPLES = ("SAMPLE-GFS2", "SAMPLE-SCALE", "SAMPLE-CFS")
CLUSTERS = ("disk", "lock", "network", "deadlock")
TEXTS = ("host_texts", "scale_own_texts", "veritas_texts")
OF_TEXTS = 4
"""Of each table the texts with most letters: what they hold is shown on most pages."""
EVERY_RUN = 1
LONG_SECONDS = r"\b(?:1[2-9]\d|[2-9]\d\d|\d{4,})\.\d+ s\b"
"""From two minutes on a time has minutes."""
GAP = r"[\s\u2009\u202f]"


def content(name: str) -> bytes:
    if name == "small":
        return bundle()
    if name == "one node":
        return tar({"kiln4/waiters.txt": waiters("kiln4")})
    if name == "clock only":
        log = "".join(f"2031-05-09_14:0{n}:07.101+0100: [I] Command: successful mount weir\n" for n in range(9))
        caption, wait = "=== mmdiag: waiters ===\n", "thread 881 NSDThread: for I/O completion on disk dm-7\n"
        text = f"{caption}Waiting 640.9 sec since 13:56:02, monitored, {wait}"
        return tar({"ash1/mmfs.log": log.encode(), "ash1/waiters.txt": text.encode()})
    if name in CLUSTERS:
        return tar({path: text.encode() for path, text in clusters.make(5, kind=name, nodes=14).files.items()})
    if ":" in name:
        return tar(table_texts()[name])
    return built(name)


@cache
def table_texts() -> dict[str, dict[str, bytes]]:
    """The longest texts of the tables that rules are tried with, as files."""
    found = {}
    for table in TEXTS:
        rows = tomllib.loads((Path(__file__).parent / f"{table}.toml").read_text(encoding="utf-8"))["text"]
        rows = [row for row in rows if "files" in row]
        longest = sorted(rows, key=lambda row: -sum(len(text) for text in row["files"].values()))[:OF_TEXTS]
        for row in longest:
            files = row["files"].items()
            named = {name.replace("__", "/").replace("_dot_", "."): text.encode() for name, text in files}
            found[f"{table}:{row['name']}"] = named
    return found


def cases() -> list[str]:
    return [*CASES, *part(SAMPLES, 1, "one sample"), *part([*CLUSTERS, *table_texts()], EVERY_RUN, "one figure")]


def words(client: Client, case: Case, name: str) -> str:
    """Text of a page without scripts and without lines of the customer."""
    text = client.get(reverse(name, args=[case.key])).content.decode()
    text = re.sub(r"<(script|style|code|pre)\b.*?</\1>", " ", text, flags=re.DOTALL)
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", text)))


def found(pattern: str, texts: dict[str, str]) -> Iterator[tuple[str, str]]:
    for page, text in texts.items():
        for match in re.finditer(pattern, text):
            yield page, re.sub(GAP, "", match[1])


def all_alike(pattern: str, texts: dict[str, str]) -> set[str]:
    pairs = set(found(pattern, texts))
    values = {value for _, value in pairs}
    assert len(values) <= 1, sorted(pairs)
    return values


@pytest.mark.django_db
@pytest.mark.parametrize("name", cases())
def test_pages_agree_on_their_figures(folk: People, client: Client, name: str) -> None:
    case = make_case(folk.team)
    diagnosis = read_into(case, content(name))
    client.force_login(folk.bob)
    texts = {page: words(client, case, page) for page in (*TABS, *REPORTS)}
    listed = html.unescape(re.sub(r"<[^>]+>", " ", client.get(reverse("cases:list")).content.decode()))

    nodes = all_alike(r"· (\d+) nodes?\b", {page: texts[page] for page in REPORTS}) | {str(case.nodes_n)}
    chips = {
        chip["label"]
        for page in TABS
        for chip in client.get(reverse(page, args=[case.key])).context["head"]["chips"]
        if re.fullmatch(r"[\d\u2009]+ nodes?", chip["label"])
    }
    figure = f"{case.nodes_n} node{'' if case.nodes_n == 1 else 's'}"
    assert {chip.replace("\u2009", "") for chip in chips} == {figure} or not case.nodes_n
    assert len(nodes) == 1
    assert str(case.nodes_n) in listed

    held = {str(root["waiters"]) for root in diagnosis.summary["roots"]}
    assert {count for _, count in found(r"\((\d+) waits? behind it\)", texts)} <= held
    cycles = {str(len(cycle)) for cycle in diagnosis.summary["cycles"]}
    circles = re.findall(r"Cycle of (\d+) (?:nodes?|process(?:es)?)(?: and (\d+))?", texts["diagnosis:graph"])
    assert {str(int(who) + int(locks or 0)) for who, locks in circles} <= cycles | {""} if cycles else True
    for root in diagnosis.summary["roots"][:1]:
        name_of = re.escape(root["what"])
        behind = all_alike(rf"{name_of}[^.;|]{{0,60}}?: (\d+) waits? behind it", texts)
        ending = all_alike(rf"(\d+) of \d+ waits end once {name_of}", texts)
        assert len(behind | ending | {str(root["waiters"])}) == 1
        assert (
            len(all_alike(rf"(\d+) waits? (?:of all dumps )?queues? behind (?:disk |process )?{name_of}", texts)) <= 1
        )

    for elsewhere in all_alike(r"does not answer: \d+ waits? there and on (\d+) other nodes?", texts):
        named, more = re.findall(r"([\w., -]+?)(?: and (\d+) more)? hangs?\. ", texts["diagnosis:timeline"])[0]
        assert len(named.split(", ")) + int(more or 0) == int(elsewhere)

    read = all_alike(r"\b(\d+) of \d+ files? read\b", texts)
    assert read == {str(diagnosis.files_total)}
    refs = {finding.ref for finding in diagnosis.findings.all()}
    assert all(ref in texts["diagnosis:timeline"] for ref in refs)
    longest = {duration(row["longest_s"]) for row in diagnosis.summary["waits_for"][:1] if row["longest_s"]}
    assert all(one in texts["diagnosis:graph"] for one in longest)
    for page, text in texts.items():
        assert not re.search(rf"{LONG_SECONDS}", text), (page, re.findall(rf".{{20}}{LONG_SECONDS}", text))
