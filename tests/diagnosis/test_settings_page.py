"""The page of settings: in force against default and recommended, and where nodes differ."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from django.http import QueryDict
from django.test import Client
from django.urls import reverse

from apps.diagnosis.models import Diagnosis, Tuning
from apps.diagnosis.pages.settings.tables import SettingFilters, same, setting_rows, settings_context
from tests.builders import T0_US, People, build_case
from tests.diagnosis.cases import with_table

pytestmark = pytest.mark.django_db
EVIL = "<b onclick=x>"
COLUMNS = {
    "node": pl.String, "scope": pl.String, "source": pl.String, "name": pl.String, "value": pl.String,
    "default": pl.String,
    "at": pl.Int64, "set_here": pl.Boolean, "artifact": pl.Int64, "line": pl.Int64,
}  # fmt: skip


def settings(*rows: dict[str, Any]) -> pl.DataFrame:
    plain = {"scope": "/srv/media", "source": "vxtunefs", "at": T0_US, "set_here": False, "artifact": 1}
    return pl.DataFrame(
        [dict.fromkeys(COLUMNS) | plain | {"line": n} | row for n, row in enumerate(rows, 1)],
        schema=COLUMNS,
        orient="row",
    )


def row(node: str, name: str, value: str, **fields: Any) -> dict[str, Any]:
    return {"node": node, "name": name, "value": value, **fields}


SOME = settings(
    row("n1", "lazy_isize_enable", "0"),
    row("n1", "lazy_isize_enable", "1", at=T0_US + 60_000_000, set_here=True),
    row("n2", "lazy_isize_enable", "0"),
    row("n1", "read_pref_io", "65536", default="65536"),
    row("n2", "read_pref_io", "65536", default="65536"),
    row("n1", "write_pref_io", EVIL, default="65536"),
)


def shown(diagnosis: Diagnosis, query: str = "") -> dict[str, Any]:
    return settings_context(
        diagnosis, SettingFilters.from_query(QueryDict(query)), "", lambda artifact, line: f"/{artifact}/{line}"
    )


def test_the_last_value_of_each_node_stands_with_the_one_before(folk: People, tmp_path: Path) -> None:
    with with_table(build_case(folk.team).diagnosis, tmp_path, settings=SOME) as diagnosis:
        lazy = next(row for row in setting_rows(diagnosis) if row.name == "lazy_isize_enable")
        values = next(one["values"] for one in shown(diagnosis)["rows"] if one["row"].name == lazy.name)
    assert [(one.node, one.value, one.before) for one in lazy.values] == [("n1", "1", "0"), ("n2", "0", None)]
    assert lazy.differs
    assert lazy.recommended is None  # nothing in this case asks for it
    assert [value["is_odd"] for value in values] == [False, True]
    assert {value["value"]: value["is_recommended"] for value in values} == {"0": False, "1": False}
    assert values[0]["nodes"][0]["url"].startswith("/1/")


def test_filters(folk: People, tmp_path: Path) -> None:
    with with_table(build_case(folk.team).diagnosis, tmp_path, settings=SOME) as diagnosis:

        def names(query: str) -> set[str]:
            return {one["row"].name for one in shown(diagnosis, query)["rows"]}

        assert names("show=differ") == {"lazy_isize_enable"}
        assert names("show=changed") >= {"write_pref_io"}
        assert "read_pref_io" not in names("show=changed")
        assert names("text=PREF+65536") == {"read_pref_io"}
        assert names("node=n2") == {"lazy_isize_enable", "read_pref_io"}
        assert names("show=nonsense&page=999999999") == {"lazy_isize_enable", "read_pref_io", "write_pref_io"}
        assert [chip["strong"] for chip in shown(diagnosis)["chips"]][:2] == ["3", "1"]


def test_what_is_advised_for_the_case_comes_first(folk: People, tmp_path: Path) -> None:
    built = build_case(folk.team)
    Tuning.objects.create(
        diagnosis=built.diagnosis,
        order=9,
        tuning_id="write",
        parameter="write_pref_io",
        recommended="65536",
        status="recommended",
    )
    with with_table(built.diagnosis, tmp_path, settings=SOME) as diagnosis:
        first = setting_rows(diagnosis)[0]
    assert (first.name, first.status, first.recommended) == ("write_pref_io", "recommended", "65536")


def test_the_page_escapes_values_and_links_the_line(client: Client, folk: People, tmp_path: Path) -> None:
    built = build_case(folk.team)
    client.force_login(folk.bob)
    with with_table(built.diagnosis, tmp_path, settings=SOME):
        page = client.get(reverse("diagnosis:settings", args=[built.case.key])).content.decode()
    assert EVIL not in page
    assert "&lt;b onclick=x&gt;" in page
    assert "?line=2#L2" in page


@pytest.mark.parametrize(
    ("one", "other"), [("on", "1"), ("yes", "TRUE"), ("4096", "4096.0"), ("off", "0"), ('"single"', "single")]
)
def test_spellings_of_one_value(one: str, other: str) -> None:
    assert same(one) == same(other)


@pytest.mark.parametrize(("one", "other"), [("1", "10"), ("on", "off"), ("64K", "64"), ("", "0")])
def test_other_values(one: str, other: str) -> None:
    assert same(one) != same(other)


def test_a_case_without_settings_says_what_to_send(client: Client, folk: People) -> None:
    built = build_case(folk.team)
    client.force_login(folk.bob)
    assert (
        "No settings in these files"
        in client.get(reverse("diagnosis:settings", args=[built.case.key])).content.decode()
    )
