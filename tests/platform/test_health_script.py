from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from config import heartbeat
from scripts import health


def test_a_worker_is_well_while_its_file_is_touched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOCKSCOPE_VAR", str(tmp_path))
    assert health.main(["worker"]) == 1
    path = heartbeat.alive_file(tmp_path, "worker")
    path.parent.mkdir()
    path.touch()
    assert health.main(["worker"]) == 0
    old = time.time() - health.STALE_S - 1
    os.utime(path, (old, old))
    assert health.main(["worker"]) == 1


def test_a_web_server_that_does_not_answer_is_not_well(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOCKSCOPE_BIND", "127.0.0.1:9")
    assert health.main(["web"]) == 1


def test_an_unknown_role_gets_the_list_of_roles(capsys: pytest.CaptureFixture[str]) -> None:
    assert health.main(["queue"]) == 2
    assert "web | worker | beat" in capsys.readouterr().err
