"""A single line of a log says the same program, message and host to the entries of a site as to the reader."""

from __future__ import annotations

import pytest

from parsers.log_lines import message_in


@pytest.mark.parametrize(
    ("line", "program", "message", "host"),
    [
        ("Mar  9 20:33:13 kite3 sshd[411]: Connection closed", "sshd", "Connection closed", "kite3"),
        ("Mar  9 20:33:13 kite3 /usr/sbin/cron[81]: Job done", "cron", "Job done", "kite3"),
        ("Mar  9 20:33:13 guard[81]: Job done", "guard", "Job done", ""),
        ("<11>1 2031-03-09T20:33:13Z kite3 guard 81 - - Job done", "guard", "Job done", "kite3"),
        ("Mar 09 20:33:13 kite3 openais[81]: [TOTEM] entering GATHER state", "openais", None, "kite3"),
        ("[81234.120034] dlm: projects: recover 5", "kernel", "dlm: projects: recover 5", ""),
    ],
)
def test_a_line_names_its_program_as_the_reader_does(line: str, program: str, message: str | None, host: str) -> None:
    found = message_in(line)
    assert found is not None
    assert (found.program, found.host) == (program, host)
    assert message in {None, found.message}
