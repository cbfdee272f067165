from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent
COMPOSE = ROOT / "docker-compose.yml"


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_the_compose_file_follows_the_specification() -> None:
    done = run(str(BIN / "check-jsonschema"), "--builtin-schema", "vendor.compose-spec", str(COMPOSE))
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_check_of_the_compose_file_would_find_a_wrong_key(tmp_path: Path) -> None:
    wrong = tmp_path / "docker-compose.yml"
    wrong.write_text(COMPOSE.read_text().replace("    ports: [", "    portz: ["))
    assert run(str(BIN / "check-jsonschema"), "--builtin-schema", "vendor.compose-spec", str(wrong)).returncode != 0


def test_hadolint_has_nothing_to_say_about_the_dockerfile() -> None:
    done = run(str(BIN / "hadolint"), "--failure-threshold", "info", "Dockerfile")
    assert done.returncode == 0, done.stdout + done.stderr


OF_THE_IMAGE = frozenset((
    "LOCKSCOPE_BIND", "LOCKSCOPE_DB_PORT", "LOCKSCOPE_DEBUG", "LOCKSCOPE_PORT", "LOCKSCOPE_STATIC_ROOT",
    "LOCKSCOPE_STORAGE", "LOCKSCOPE_UPLOADS", "LOCKSCOPE_VAR", "LOCKSCOPE_WORKER_SWEEPS",
))  # fmt: skip
"""Places and ports inside the containers, and what other processes do there: not for the person who starts them."""
OF_COMPOSE = frozenset((
    "LOCKSCOPE_BACKUPS", "LOCKSCOPE_PUBLISH", "LOCKSCOPE_REDIS_PASSWORD", "LOCKSCOPE_TAG", "LOCKSCOPE_WORKERS",
))  # fmt: skip
"""The file itself makes something of them."""


def test_every_variable_of_the_example_reaches_the_processes() -> None:
    documented = set(re.findall(r"^(LOCKSCOPE_\w+)=", (ROOT / ".env.example").read_text(), re.MULTILINE))
    text = COMPOSE.read_text()
    passed = dict(re.findall(r"^ +(LOCKSCOPE_\w+): (.+)$", text, re.MULTILINE))
    assert documented - set(passed) == OF_THE_IMAGE | OF_COMPOSE
    assert set(passed) <= documented
    fixed = {
        "LOCKSCOPE_DB_HOST",
        "LOCKSCOPE_DB_NAME",
        "LOCKSCOPE_DB_USER",
        "LOCKSCOPE_BROKER_URL",
        "LOCKSCOPE_CACHE_URL",
    }
    assert {name for name, value in passed.items() if not value.startswith(f"${{{name}:")} == fixed
    assert all(f"${{{name}:" in text for name in OF_COMPOSE)


@pytest.mark.parametrize("name", ["requirements", "requirements-dev", "requirements-load"])
def test_every_package_is_pinned_with_the_hashes_of_its_files(name: str) -> None:
    text = (ROOT / f"{name}.txt").read_text().replace("\\\n", "")
    pins = [line for line in text.splitlines() if line and not line.startswith("#")]
    assert len(pins) > 30
    assert [pin for pin in pins if not re.fullmatch(r"[\w.\[\], -]+==\S+(?: +--hash=sha256:[0-9a-f]{64})+", pin)] == []


def test_whatever_installs_packages_asks_for_their_hashes() -> None:
    for name in ("Makefile", "Dockerfile"):
        for line in (ROOT / name).read_text().splitlines():
            if re.search(r"pip (?:install|download)\b.*-r requirements|PIN :=", line):
                assert "--require-hashes" in line, line


@pytest.mark.parametrize(
    "name", ["LOCKSCOPE_SECRET_KEY", "LOCKSCOPE_DB_PASSWORD", "LOCKSCOPE_REDIS_PASSWORD", "LOCKSCOPE_BASE_URL"]
)
def test_compose_asks_for_each_secret_and_has_no_default(name: str) -> None:
    text = COMPOSE.read_text()
    assert f"${{{name}:?" in text
    assert f"${{{name}:-" not in text
    assert f"${{{name}}}" not in text


def test_every_service_has_a_health_check_but_the_one_that_ends() -> None:
    text = COMPOSE.read_text()
    services = text[text.index("\nservices:") : text.index("\nvolumes:")]
    blocks = {block.split(":")[0]: block for block in services.split("\n\n  ")}
    blocks["web"] = blocks.pop("\nservices") if "\nservices" in blocks else blocks["web"]
    assert {"web", "worker", "beat", "migrate", "postgres", "redis"} <= set(blocks)
    for name, block in blocks.items():
        assert "healthcheck:" in block, name
    assert "disable: true" in blocks["migrate"]


def test_the_image_does_not_run_as_root_and_has_a_health_check() -> None:
    lines = (ROOT / "Dockerfile").read_text().splitlines()
    assert "USER 10001:10001" in lines
    assert any(line.startswith("HEALTHCHECK") for line in lines)
    assert lines.index("USER 10001:10001") < next(number for number, line in enumerate(lines) if line.startswith("CMD"))
