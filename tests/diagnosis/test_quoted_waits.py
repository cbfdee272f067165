"""Reasons of waits that people quote in mails: what to send is said, and nothing is judged."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.diagnosis.cluster_texts import diagnosis_of, verdict_in

MAILS = {
    "in single quotes": "Hello,\n\nsince Tuesday two servers show\n'wait for SubToken to become stable', what"
    " is that.\n\nRegards\n",
    "wrapped, with a figure": "> Two sit in \u201cwaiting for stateful\n> NSD server "
    "error takeover (7)\u201d, I hear.\n",
    "in German": "Guten Tag,\n\nauf zwei Knoten steht\n"
    "\u201ewaiting because of local byte range lock conflict\u201c, was hei\u00dft das?\n",
    "in back quotes": "Our writers hang in `force wait for buffer write to complete` every night, any idea?\n",
}
EVERYDAY = {
    "another product": "The database prints 'waiting for the row lock' twice a day, which is harmless.\n",
    "a common reason": "He said 'waiting for helper threads' and went home, so nothing is known.\n",
    "apostrophes": "It's the server's disk that wouldn't answer; we'll wait for SubToken to become stable, I guess.\n",
    "emphasis": "This is \"not a problem\" for us, 'never was one' and 'will never be one'.\n",
}
DUMP = (
    "=== mmdiag: waiters ===\n"
    "Waiting 41.2021 sec since 10:02:11, monitored, thread 4711 CreateHandlerThread: on ThCond 0x1802AB1F8\n"
    "(TokenCondvar), reason 'wait for SubToken to become stable'\n"
)


@pytest.mark.parametrize("mail", MAILS.values(), ids=MAILS.keys())
def test_a_quoted_reason_is_explained_and_its_dump_requested(mail: str, tmp_path: Path) -> None:
    diagnosis = diagnosis_of(tmp_path, **{"mail.txt": mail})
    assert [("mmdiag --waiters" in one.commands, one.node) for one in diagnosis.missing] == [(True, None)]
    assert diagnosis.findings == ()
    assert verdict_in(diagnosis).form == "not_judged"


@pytest.mark.parametrize("mail", EVERYDAY.values(), ids=EVERYDAY.keys())
def test_of_other_words_in_quotation_marks_nothing_is_missing(mail: str, tmp_path: Path) -> None:
    assert not diagnosis_of(tmp_path, **{"mail.txt": mail}).missing


def test_where_the_dump_is_sent_nothing_more_is_missing(tmp_path: Path) -> None:
    diagnosis = diagnosis_of(tmp_path, **{"mail.txt": MAILS["in single quotes"], "waiters.txt": DUMP})
    assert not [one for one in diagnosis.missing if "the text says" in one.what]


def test_of_two_meanings_of_a_reason_the_one_that_needs_no_other_words_is_given(tmp_path: Path) -> None:
    """The log of a vdisk has the same reason as that of a file system, and is known by its condition variable."""
    mail = "Sur deux serveurs nous voyons \u00ab waiting for permission to append to log \u00bb depuis ce matin.\n"
    [one] = diagnosis_of(tmp_path, **{"mail.txt": mail}).missing
    assert "vdisk" not in one.why
