"""What programs that nobody knows say of requests that ended with an error of the file system: heard in every log."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.reports import bundle, text_on

_QUIET = ("CROND[811]: (root) CMD (run-parts /etc/cron.hourly)", "named[71]: zone lab.example/IN: sending notifies")


def report(text: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(text_on(bundle(text.encode(), "sent.txt")))
    return found


def _syslog(program: str, text: str) -> str:
    lines = (_QUIET[0], f"{program}[4022]: {text}", _QUIET[1])
    return "".join(f"Mar  9 03:12:1{number} coot7 {line}\n" for number, line in enumerate(lines))


def _iso(program: str, text: str) -> str:
    return "".join(
        f"2031-03-09T03:12:11.004211+01:00 coot7 {line}\n"
        for line in (_QUIET[0], f"{program}[4022]: {text}", _QUIET[1])
    )


def _own_log(program: str, text: str) -> str:
    return (
        f"2031-03-09 03:12:10,118 INFO  [main] {program} - started\n"
        f"2031-03-09 03:12:11,004 ERROR [pool-3] {program} - {text}\n"
    )


def _journal(program: str, text: str) -> str:
    head = {"__REALTIME_TIMESTAMP": "1930795931004211", "_HOSTNAME": "coot7", "PRIORITY": "3"}
    return json.dumps({**head, "SYSLOG_IDENTIFIER": program, "MESSAGE": text}) + "\n"


_SICK = (
    ("postgres", 'ERROR:  could not read block 12 in file "base/16384/2619": Input/output error', "base/16384/2619"),
    ("rsync", 'read errors mapping "/srv/pots/a b": Input/output error (5)', "/srv/pots/a"),
    ("mysqld", "[InnoDB] Error number 5 means 'Input/output error'", "A program got an I/O error"),
    ("tarball", "write to /srv/pots/w.tar failed: java.io.IOException: Structure needs cleaning", "/srv/pots/w.tar"),
    ("filed", "open /srv/pots/x failed, errno=30 (Read-only file system)", "can't write to /srv/pots/x"),
    ("renderd", "can't save '/srv/pots/7/y.exr': No space left on device", "no room on /srv/pots/7/y.exr"),
    ("crawlerd", "stat of /srv/pots/q: Stale file handle", "/srv/pots/q is gone beneath a program"),
    ("crawlerd", "[Errno 107] /srv/pots/q: Transport endpoint is not connected", "/srv/pots/q is gone"),
)


@pytest.mark.parametrize("form", [_syslog, _iso, _own_log, _journal])
@pytest.mark.parametrize(("program", "text", "seen"), _SICK)
def test_a_program_that_nobody_knows_is_heard(
    form: Callable[[str, str], str], program: str, text: str, seen: str
) -> None:
    found = report(form(program, text))
    assert found["verdict"]["form"] == "unexplained", found["verdict"]
    assert seen in found["verdict"]["title"]


_EVERYDAY = (
    ("getty", "read from /dev/tty3: Input/output error"),
    ("mediad", "can't open /dev/sr0: Input/output error"),
    ("collectd", "ipmi plugin: reading of a sensor failed: Input/output error"),
    ("kubelet", "mkdir /sys/fs/cgroup/a: Read-only file system"),
    ("packaged", "unlink of /usr/share/man/x failed: Read-only file system"),
    ("watcherd", "can't add a watch for /srv/pots: No space left on device"),
    ("pullerd", "Get https://hub.lab.example/v2/: read tcp 10.1.1.1:4000: i/o timeout"),
)


@pytest.mark.parametrize("form", [_syslog, _iso])
@pytest.mark.parametrize(("program", "text"), _EVERYDAY)
def test_errors_of_terminals_watches_and_images_are_no_alarm(
    form: Callable[[str, str], str], program: str, text: str
) -> None:
    assert report(form(program, text))["verdict"]["form"] in ("healthy", "not_judged")


def test_one_line_among_many_of_foreign_programs_is_found() -> None:
    quiet = "".join(
        f"Mar  9 03:{n // 60:02}:{n % 60:02} coot7 named[71]: client 10.0.0.{n % 250}: query\n" for n in range(900)
    )
    begin, sick = (
        quiet.index("Mar  9 03:11:00"),
        "Mar  9 03:11:00 coot7 filed[9]: write of /srv/pots/b: Input/output error\n",
    )
    [finding] = [one for one in report(quiet[:begin] + sick + quiet[begin:])["findings"] if one["severity"] != "info"]
    assert "/srv/pots/b on coot7" in finding["title"]
    assert [line["line"] for line in finding["evidence"]] == [661]
