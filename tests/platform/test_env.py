from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from config import env, limits

NAME = "LOCKSCOPE_SOMETHING"


@pytest.mark.parametrize(("word", "value"), [("true", True), ("ON", True), ("1", True), ("no", False), ("0", False)])
def test_a_switch_knows_the_usual_words(monkeypatch: pytest.MonkeyPatch, word: str, value: bool) -> None:
    monkeypatch.setenv(NAME, word)
    assert env.env_bool(NAME, default=not value) is value


@pytest.mark.parametrize(
    ("read", "word"),
    [
        (lambda: env.env_bool(NAME, default=False), "perhaps"),
        (lambda: env.env_int(NAME, 5), "five"),
        (lambda: env.env_int(NAME, 5, least=1), "0"),
        (lambda: env.env_bytes(NAME, 5), "20 gigs"),
        (lambda: env.env_bytes(NAME, 5), "0 MiB"),
        (lambda: env.env_list(NAME, []), "a,,b"),
        (lambda: env.env_choice(NAME, "a", ("a", "b")), "c"),
        (lambda: env.env_path(NAME, Path("/var")), "relative/path"),
        (lambda: env.env_required(NAME), "   "),
    ],
)
def test_a_bad_value_is_refused_by_name_and_not_repeated(
    monkeypatch: pytest.MonkeyPatch, read: Callable[[], object], word: str
) -> None:
    monkeypatch.setenv(NAME, word)
    with pytest.raises(env.BadSetting, match=NAME) as refusal:
        read()
    assert word.strip() == "" or f" {word}" not in str(refusal.value)


def test_an_empty_value_counts_as_not_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(NAME, " ")
    assert env.env_str(NAME, "there") == "there"
    assert env.env_int(NAME, 7) == 7
    assert env.env_list(NAME, ["x"]) == ["x"]
    assert env.env_bytes(NAME, 9) == 9


@pytest.mark.parametrize(("word", "size"), [("500", 500), ("1 KiB", 1024), ("20GiB", 20 << 30), ("2 TiB", 2 << 40)])
def test_sizes_are_read_with_and_without_units(monkeypatch: pytest.MonkeyPatch, word: str, size: int) -> None:
    monkeypatch.setenv(NAME, word)
    assert env.env_bytes(NAME, 1) == size


def test_a_secret_comes_from_a_file_too(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "key").write_text("from the file\n")
    monkeypatch.setenv(f"{NAME}_FILE", str(tmp_path / "key"))
    assert env.env_secret(NAME) == "from the file"
    monkeypatch.setenv(NAME, "and from here")
    with pytest.raises(env.BadSetting, match="both set"):
        env.env_secret(NAME)


def test_a_secret_file_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(f"{NAME}_FILE", "/nowhere/key")
    with pytest.raises(env.BadSetting, match=f"{NAME}_FILE"):
        env.env_secret(NAME)


@pytest.mark.parametrize(
    "value",
    ["", "short", "a" * 60, "please-change-this-value-0123456789-abcdef", "django-insecure-0123456789abcdefghijkl"],
)
def test_weak_and_sample_keys_are_refused(value: str) -> None:
    with pytest.raises(env.BadSetting):
        env.refuse_weak_secret(NAME, value)


def test_the_limits_are_those_of_the_upload_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOCKSCOPE_MAX_UPLOAD_BYTES", "3 MiB")
    read = limits.limits_from_env()
    assert read.upload_bytes == 3 << 20
    assert (read.depth, read.members, read.link_days, read.link_days_max, read.lease_s) == (4, 200_000, 14, 90, 45)


@pytest.mark.parametrize(
    ("name", "value"),
    [("LOCKSCOPE_TASK_SOFT_S", "1200"), ("LOCKSCOPE_LEASE_RENEW_S", "45"), ("LOCKSCOPE_LINK_DAYS", "91")],
)
def test_limits_that_contradict_each_other_stop_the_start(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(env.BadSetting, match=name):
        limits.limits_from_env()
