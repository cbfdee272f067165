"""Lines of programs that nobody listens to are passed over in whole stretches, but for those that a row for any program
could fit.
"""

from __future__ import annotations

import pytest

from parsers.formats.host.logs.log_stretches import _FAILED_REQUEST
from parsers.messages.catalogue import ANY_PROGRAM, catalogue
from tests.diagnosis.wordings import texts_for
from tests.reports import bundle, text_on


def test_each_row_for_any_program_is_heard_in_a_stretch() -> None:
    texts = [text for row in catalogue().groups[ANY_PROGRAM] for text in texts_for(row.pattern)]
    assert len(texts) >= 6
    assert [text for text in texts if not any(words in text.encode() for words in _FAILED_REQUEST)] == []


def _log(*lines: str) -> str:
    return "".join(f"Mar  9 20:33:{second:02} moth3 {line}\n" for second, line in enumerate(lines))


SICK = {
    "the name of the error alone": ("potsd[811]: write /nest/roost/egg.db: EIO", "I/O error"),
    "a file system that is read-only": ("twigd[90]: cannot open /nest/roost/egg.db: EROFS", "read-only"),
    "no room": ("feedr[7]: writing /nest/roost/egg.db: ENOSPC", "space"),
    "a handle": ("feedr[7]: stat /nest/roost/egg.db: ESTALE (os error 116)", ""),
    "a record of Samba": (
        "potsd[7]: db_ctdb_fetch_locked for locking.tdb.0 key 1A2B, chain 47 needed 1 attempts, 41220 milliseconds",
        "Samba waited",
    ),
}
HEALTHY = (
    "potsd[811]: write /nest/roost/egg.db: done, 12 blocks",
    "twigd[90]: a handler for EIO and ESTALE is in place",
    "feedr[7]: ENOSPC: System limit for number of file watchers reached, watch '/nest/roost'",
    "potsd[7]: cache of locking.tdb.0 fetched in 2 milliseconds",
)


@pytest.mark.parametrize("name", SICK)
def test_it_is_heard_among_others(name: str) -> None:
    line, words = SICK[name]
    report = text_on(bundle(_log(*HEALTHY, line, *HEALTHY).encode(), "var/log/messages"))
    assert '"severity": "medium"' in report or '"severity": "high"' in report
    assert words in report


def test_words_that_only_name_an_error_are_no_alarm() -> None:
    report = text_on(bundle(_log(*HEALTHY).encode(), "var/log/messages"))
    assert '"severity": "medium"' not in report
    assert '"severity": "high"' not in report
