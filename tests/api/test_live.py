"""A watch that sends samples while a case hangs: what the page and the API say, and what the client does when the
connection breaks.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any, BinaryIO

import pytest
from django.test import Client
from django.urls import reverse

from apps.diagnosis.pages.live import watching
from apps.diagnosis.pages.live.blocker import blocker_now
from apps.diagnosis.pages.live.telling import tell_of_blocker
from apps.webhooks.models import Delivery, Webhook
from scripts import lockscope
from tests.api.test_api import Program
from tests.builders import People, make_case
from tests.diagnosis.cases import read_into
from tests.ingest.material import tar
from tests.patience import HANGS_S
from tests.shown import shown

SAMPLE = {"node": "ash1", "number": 4, "every_s": 20}


def sample(clock: str, *ages: float) -> bytes:
    hours, minutes, seconds = (int(part) for part in clock.split(":"))
    now = hours * 3600 + minutes * 60 + seconds
    waits = [
        f"Waiting {age:.4f} sec since {_clock(now - age)}, monitored, thread {881 + n} NSDThread: "
        "for I/O completion on disk dm-7\n"
        for n, age in enumerate(ages)
    ]
    head = (
        f"[root@ash1 ~]# date\nFri May  9 {clock} UTC 2031\n[root@ash1 ~]# mmdiag --waiters\n=== mmdiag: waiters ===\n"
    )
    return (head + "".join(waits)).encode()


def _clock(seconds: float) -> str:
    whole = int(seconds)
    return f"{whole // 3600:02d}:{whole // 60 % 60:02d}:{whole % 60:02d}"


@pytest.mark.django_db
def test_the_blocker_of_the_last_sample_is_named_and_counted(folk: People, client: Client) -> None:
    case = make_case(folk.team)
    hung = {f"a{n}.txt": sample(f"10:00:{20 * n:02d}", 300 + 20 * n, 290 + 20 * n) for n in range(3)}
    diagnosis = read_into(case, tar(hung))
    blocker = blocker_now(diagnosis)
    assert blocker is not None
    assert "dm-7" in blocker.words
    assert (blocker.samples, blocker.waits) == (3, 2)
    page = reverse("diagnosis:timeline", args=[case.key])
    client.force_login(folk.bob)
    assert 'id="live-strip"' not in shown(client.get(page))
    program = Program(folk.bob)
    answer = program.call("post", f"cases/{case.key}/live/", SAMPLE)
    assert answer.json()["same_root_samples"] == 3
    text = shown(client.get(page))
    assert "same root for 3 samples" in text
    assert "Live" in text
    assert Program(folk.charlie).get(f"cases/{case.key}/live/").status_code == 404
    over = program.call("post", f"cases/{case.key}/live/", {**SAMPLE, "is_over": True})
    assert over.json()["watching"] is False
    strip = client.get(reverse("diagnosis:live", args=[case.key]))
    assert strip.status_code == 286
    assert "Live watch ended" in shown(strip)


@pytest.mark.django_db
def test_a_broken_connection_is_silence_and_not_the_end(
    folk: People, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = make_case(folk.team)
    read_into(case, tar({"a.txt": sample("10:00:00", 300.0), "b.txt": sample("10:00:20", 320.0)}))
    client.force_login(folk.bob)
    address = reverse("diagnosis:live", args=[case.key])
    now = [1000.0]
    monkeypatch.setattr(watching, "time", SimpleNamespace(time=lambda: now[0]))
    watching.note_sample(case.pk, node="ash1", number=4, every_s=20, queued=0, dropped=0)
    watching.note_sample(case.pk, node="ash2", number=4, every_s=20, queued=0, dropped=0)
    now[0] += 60
    watching.note_sample(case.pk, node="ash1", number=7, every_s=20, queued=0, dropped=0)
    now[0] += 60
    one = client.get(address)
    assert one.status_code == 200
    assert "silent: ash2" in shown(one)
    now[0] += 60
    all_of_them = client.get(address)
    assert all_of_them.status_code == 200
    assert "no sample for 2 m 00 s: the connection broke, or the node cannot send" in shown(all_of_them)
    assert "Blocked at the last sample by" in shown(all_of_them)
    watching.note_sample(case.pk, node="ash1", number=13, every_s=20, queued=2, dropped=0)
    assert "Silent" not in shown(client.get(address))
    now[0] += watching.SILENT_S + 1
    assert client.get(address).status_code == 286


@pytest.mark.django_db
def test_a_hang_that_is_over_in_the_last_sample_blocks_nothing_any_more(folk: People) -> None:
    case = make_case(folk.team)
    files = {"a.txt": sample("10:00:00", 300.0), "b.txt": sample("10:00:20", 320.0), "c.txt": sample("10:02:00")}
    assert blocker_now(read_into(case, tar(files))) is None


@pytest.mark.django_db
def test_the_team_is_notified_once_of_a_blocker_that_stays(folk: People, monkeypatch: pytest.MonkeyPatch) -> None:
    case = make_case(folk.team)
    read_into(case, tar({f"a{n}.txt": sample(f"10:00:{20 * n:02d}", 300 + 20 * n) for n in range(3)}))
    hook = Webhook.objects.create(team=folk.team, host="https://chat", nonce="n", events=["case.blocked"])
    monkeypatch.setattr("apps.webhooks.services.send_or_leave", lambda *_: None)
    tell_of_blocker(case.pk)
    assert not Delivery.objects.filter(webhook=hook).exists(), "nobody watches"
    watching.note_sample(case.pk, node="ash1", number=3, every_s=20, queued=0, dropped=0)
    for _ in range(2):
        tell_of_blocker(case.pk)
    [delivery] = Delivery.objects.filter(webhook=hook)
    assert "dm-7" not in str(delivery.told), "no word of a customer leaves"
    watching.end_watch(case.pk, "ash1")


def test_the_queue_never_grows_beyond_its_bound_and_drops_the_oldest(tmp_path: Path) -> None:
    queue = lockscope.Queue(tmp_path, 100)
    for number in range(5):
        queue.put(f"n-{number}.txt", b"x" * 40)
    assert [one.name for one in queue.waiting()] == ["n-3.txt", "n-4.txt"]
    queue.put("n-5.txt", b"x" * 101)
    assert sum(one.stat().st_size for one in tmp_path.iterdir()) <= 100
    assert queue.dropped == 6


ENOUGH = 3


class Breaking(lockscope.Server):
    """A server that cannot be reached for a while, and then takes everything."""

    def __init__(self, fails: int) -> None:
        super().__init__("http://127.0.0.1:9", "lsc_x")
        self.fails, self.got, self.received = fails, list[str](), list[dict[str, Any]]()
        self.enough = threading.Event()

    def send(self, case: str, name: str, stream: BinaryIO, tries: int = 0) -> str:
        if self.fails:
            self.fails -= 1
            raise lockscope.LostError("the connection broke")
        self.got.append(name)
        if len(self.got) >= ENOUGH:
            self.enough.set()
        return ""

    def ask(self, method: str, path: str, body: Any = None) -> dict[str, Any]:
        self.received.append(body or {})
        return {"key": "CS-1", "blocker": None, "severity": "high", "verdict": "Disk dm-7 does not answer"}


def test_samples_go_on_while_the_connection_is_broken_and_are_sent_in_order(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = argparse.Namespace(
        every=0.05, command=[f"{sys.executable} -c print('waits')"], queue_mb=1, case="CS-1", title="", last=60.0
    )
    server = Breaking(fails=3)
    watch = lockscope.Watch(given, server, tmp_path)

    def end() -> None:
        server.enough.wait(HANGS_S)
        watch.until = 0.0

    threading.Thread(target=end, daemon=True).start()
    assert watch.run() == 2
    assert len(server.got) >= ENOUGH
    assert server.got == sorted(server.got)
    assert server.received[-1]["is_over"] is True
    assert list(tmp_path.iterdir()) == []
    assert "Disk dm-7 does not answer" in capsys.readouterr().out


def test_what_is_not_read_yet_is_not_called_free_of_blockers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    given = argparse.Namespace(every=0.05, command=["true"], queue_mb=1, case="CS-1", title="", last=0.2)
    for answer, words in (({"severity": None}, "not read yet"), ({"severity": "info"}, "nothing blocks")):
        monkeypatch.setattr(Breaking, "ask", lambda *_, answer=answer: {"key": "CS-1", "blocker": None, **answer})
        watch = lockscope.Watch(given, Breaking(fails=0), tmp_path / words.replace(" ", ""))
        (tmp_path / words.replace(" ", "")).mkdir()
        if answer["severity"]:
            assert watch.run() == 0
        else:
            with pytest.raises(lockscope.RefusedError, match="not read yet"):
                watch.run()
        assert words in capsys.readouterr().err


def test_a_command_that_hangs_is_given_up_and_a_missing_one_is_stated(tmp_path: Path) -> None:
    hung = lockscope.output_of(f"{sys.executable} -c 'import time; time.sleep(60)'", 0.5)
    assert b"gave no answer within" in hung
    assert b"No such file" in lockscope.output_of("/nowhere/mmdiag --waiters", 1)
    text = lockscope.sample_of("ash1", [f"{sys.executable} -c 'print(7)'"], HANGS_S).decode()
    assert "[root@ash1 ~]# date" in text
    assert "\n7\n" in text


def test_a_watch_that_is_ended_from_outside_leaves_nothing_behind(tmp_path: Path) -> None:
    words = [sys.executable, lockscope.__file__, "watch", "--every", "5", "--command", "echo quiet"]
    env = {**os.environ, "TMPDIR": str(tmp_path), "LOCKSCOPE_URL": "http://127.0.0.1:9", "LOCKSCOPE_TOKEN": "lsc_x"}
    with subprocess.Popen(words, env=env, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        assert "not sent, kept" in process.stderr.readline()
        assert any(tmp_path.iterdir())
        process.send_signal(signal.SIGTERM)
        assert any("what is queued is still sent" in line for line in iter(process.stderr.readline, ""))
        process.send_signal(signal.SIGHUP)  # who is in a hurry
        assert process.wait(HANGS_S) == lockscope.FAILED
    assert not any(tmp_path.iterdir())
