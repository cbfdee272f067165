"""What people state in prose becomes a claim with its speaker; it never becomes a measurement or a time of capture."""

from __future__ import annotations

import time

import pytest

from parsers.records import Claim, Counter, Measurement, Problem, Section
from tests.parsers.golden import Reading

ROW = "vxi_hlockgrant                    1    vxi_hlockrevoke                   2"
MAIL = """From: "Ann Weaver" <ann@carp.example>
To: list@carp.example
Date: Tue, 05 Mar 2024 11:20:20 +0100

Hello, on our cluster every backup takes about 12 hours since last week.

On Mon, 2024-03-04 at 10:12 +0000, Bert Miller wrote:
> Our ping_pong run is not what we had hoped for, at about 5000
> locks/second on one node. The switch is new.
>
> On Sunday, Carl wrote:
> > We have 3 million small files here, and nobody touches them at night.
> window_size = 50
I think that somebody has to look at that first.

--
Ann Weaver, 1200 employees, 40 nodes, Tel: +49 30 123456
"""


def claims(text: str) -> list[Claim]:
    return Reading(text).of(Claim)


class TestSpeakers:
    def test_each_figure_is_stated_by_who_speaks_at_its_depth(self) -> None:
        stated = [(c.speaker, c.value, c.unit) for c in claims(MAIL) if c.value is not None]
        assert stated == [
            ("Ann Weaver", 12, "h"),
            ("Bert Miller", 5000, "locks/s"),
            ("Carl", 3e6, "files"),
            ("Bert Miller", 50, ""),
        ]

    def test_a_sentence_without_a_figure_states_nothing(self) -> None:
        assert [c.what for c in claims(MAIL) if c.value is None] == ["date of the mail"]

    def test_an_article_keeps_figures_only(self) -> None:
        assert claims("The first access of the inodes will be slow because of the locks.\n") == []

    def test_a_reply_inside_another_mail_has_its_own_speaker(self) -> None:
        text = (
            f"{MAIL}\n----- Original Message -----\nFrom: Dora <d@carp.example>\nSubject: locks\n\nHere it "
            "takes just 8 minutes in all.\n"
        )
        assert [(c.speaker, c.value) for c in claims(text)][-1] == ("Dora", 8)

    @pytest.mark.parametrize(
        ("line", "name"),
        [
            ("On Tue, 2011-02-15 at 17:59 +0000, Alan Brook wrote:", "Alan Brook"),
            ("On 3 Mar 2024, at 10:00, Alan Brook <a@b.example> wrote:", "Alan Brook"),
            ("Alan Brook <a@b.example> wrote:", "Alan Brook"),
            ("Am 03.03.2024 um 10:00 schrieb Alan Brook <a@b.example>:", "Alan Brook"),
            ("On Mar 3, 2024, at 10:00 AM Alan Brook wrote:", "Alan Brook"),
        ],
    )
    def test_who_wrote_is_read_in_its_many_forms(self, line: str, name: str) -> None:
        assert [c.speaker for c in claims(f"{line}\n> It takes about 12 hours for the whole tree.\n")] == [name]

    def test_who_is_not_named_is_called_by_depth(self) -> None:
        text = "It takes about 12 hours for the whole tree.\n\n> > Here it took only 3 hours for all of them.\n"
        assert [(c.speaker, c.value) for c in claims(text)] == [("author", 12), ("quoted/2", 3)]

    def test_a_signature_states_nothing(self) -> None:
        assert not [c for c in claims(MAIL) if c.line > 14]


class TestParagraphs:
    def test_a_figure_wrapped_over_two_lines_is_one(self) -> None:
        [claim] = claims(
            "> The rate of the locks on this cluster is bad, at about 5000 \n> locks/second and no better at night.\n"
        )
        assert (claim.line, claim.value, claim.unit) == (1, 5000, "locks/s")
        assert "5000 locks/second" in claim.text

    def test_the_line_is_that_of_the_figure(self) -> None:
        text = (
            "We looked at all of this for a while and saw nothing.\nThen the copy of the tree took 40 minutes again.\n"
        )
        assert [(c.line, c.value) for c in claims(text)] == [(2, 40)]

    @pytest.mark.parametrize(
        ("sentence", "name", "value"),
        [
            (
                "Here vxi_icache_inuseino is 12, so that hardly any inode is kept in the cache.",
                "vxi_icache_inuseino",
                12,
            ),
            ("On all of our clients maxFilesToCache = 4000 since the day of the change.", "maxFilesToCache", 4000),
            ("As far as I see plock_rate_limit stands at 100 on every node of it.", "plock_rate_limit", 100),
        ],
    )
    def test_a_value_of_a_setting_needs_no_unit_and_is_about_its_name(
        self, sentence: str, name: str, value: float
    ) -> None:
        assert [(c.what, c.value, c.unit) for c in claims(f"{sentence}\n")] == [(name, value, "")]

    @pytest.mark.parametrize(
        "sentence",
        [
            "The file my_notes is 2024-03-01 in the list that was sent to all of us.",
            "The package kmod_gfs is 0.1.34 on every one of the nodes that we have.",
            "That is 12 of them and the rest is 14 or so, as far as one can see.",
        ],
    )
    def test_what_is_no_value_of_a_setting(self, sentence: str) -> None:
        assert claims(f"{sentence}\n") == []

    def test_small_numbers_in_words_count_things_from_two_on(self) -> None:
        text = "Our three nodes serve two million files, and one of the nodes is older than the others.\n"
        assert [(c.value, c.unit) for c in claims(text)] == [(3, "nodes"), (2e6, "files")]

    def test_items_of_a_list_are_not_joined(self) -> None:
        found = claims(
            "- Less than 5 percent of the space is free in there\n- More than 50 percent of it is free in here\n"
        )
        assert [(c.value, c.text[:4]) for c in found] == [(5, "Less"), (50, "More")]

    def test_what_it_is_about_is_the_clause_around_the_figure(self) -> None:
        [claim] = claims(
            "As a comparison, the nightly run on the old file system takes 8 minutes, which nobody believes.\n"
        )
        assert claim.what == "the nightly run on the old file system takes 8 minutes"


class TestWhatIsNoClaim:
    @pytest.mark.parametrize(
        "line",
        [
            "Mar  5 10:00:01 carp1 systemd: The job took more than 30 seconds to start again",
            "INFO: the task has been blocked for more than 120 seconds in there",
            "kernel: the task has been blocked for more than 120 seconds in there",
            "daemon[123]: the task has been blocked for more than 120 seconds in there",
        ],
    )
    def test_messages_of_programs(self, line: str) -> None:
        assert claims(f"{line}\n") == []

    def test_rows_that_a_reader_claims(self) -> None:
        reading = Reading(f"{ROW}\nThis took about 40 minutes on the other node.\n{ROW}\n")
        assert len(reading.of(Claim)) == 1
        assert [row.value for row in reading.of(Counter)] == [1, 2, 1, 2]
        assert sum(section.records for section in reading.of(Section)) == 4

    def test_a_claim_is_never_a_measurement(self) -> None:
        assert Reading(MAIL).of(Measurement) == []

    def test_the_date_of_a_mail_is_no_time_of_capture(self) -> None:
        reading = Reading(MAIL + f"\nc1# vxfsstat -s /m\n{ROW}\n")
        assert {row.at for row in reading.of(Counter)} == {None}
        assert [c.text for c in reading.of(Claim) if c.what == "date of the mail"] == [
            "Date: Tue, 05 Mar 2024 11:20:20 +0100"
        ]


class TestBounds:
    def test_every_line_still_counts_once(self) -> None:
        reading = Reading(MAIL)
        assert reading.adds_up
        assert reading.result.not_understood == 1  # window_size = 50: stated, and no reader knows it

    def test_a_book_gives_so_many_claims_and_says_so(self) -> None:
        reading = Reading("It takes about 12 hours for the whole tree of them.\n\n" * 1_200)
        assert len(reading.of(Claim)) == 1_000
        assert [p.line for p in reading.of(Problem)] == [2_001]

    def test_hostile_prose_takes_linear_time(self) -> None:
        began = time.process_time()
        for part in (
            "a b c d e 1 ",
            "On x, ",
            "wrote: ",
            "one two three four ",
            "From: a ",
            "- slow ",
            "the 5 the ",
            ". A ",
        ):
            claims(part * (100_000 // len(part)) + "\n")
            claims((part * 8 + "\n") * 500)
        assert time.process_time() - began < 20.0
