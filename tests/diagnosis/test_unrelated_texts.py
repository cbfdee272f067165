"""Mails and tickets about anything else, or about a product of which no record was sent: no note, no finding on
workload, no product.

Sentences with figures, tools and commands are put together from parts by a generator that always gives the same texts;
some are written by hand, about the words by which a careless rule would be caught.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from apps.diagnosis.engine.core.model import Diagnosis
from tests.diagnosis.host_tools_cases import diagnosed, refs

SILENT = ("CONTRADICTION", "ARITHMETIC", "DESTRUCTIVE", "WL-", "PL-", "NW-", "MT-", "DH-")

_WHO = ("Alma Reed", "Boris Kant", "Chen Wu", "Dita Holm", "Emil Sand", "Fatou Diop")
_WHERE = ("our Spectrum Scale cluster", "the GFS2 cluster", "the VxFS volume", "the Ceph pool", "the NFS server",
    "the Oracle database",
          "the Exchange server", "the print server", "the Lustre scratch", "a laptop with ext4")  # fmt: skip
_DID = (
    "the backup of {n} million files takes {h} hours, while xfs takes {m} minutes for it",
    "a find over {n} million files ran for {h} hours last night and {m} minutes today",
    "{k} users on {s} nodes read their mail by imap, dovecot serves {n} million files in all",
    "ping_pong gives {k}00 locks/second on one of them and single digits with {s} nodes",
    "users put {k}0,000 files in a directory and then everything is slow",
    "the network carries {m}kb/s and {k}00pps at the peak",
    "the first run takes {m} minutes, later runs are much faster",
    "the array is slow, its queue of {k} requests is full, and the switch is not the problem",
    "we lost {m} percent of the throughput, from {k}00 MB/s to {s}00 MB/s",
    "{s}0 % of the time goes into search_rsb_list, if I read perf well",
    "{k} / {m} * 100 = {s}0 % of the licences are in use",
    "the room for {s}0 people costs {k} x {m} = {h}00 euros per month",
    "window_size is {k} there, and maxFilesToCache is {k}000",
    "iostat shows {m} ms and {k}00 IOPS for the LUN",
    "nobody may run mkfs or dd on these disks, as that would destroy {h} TB",
    "please erase the old tapes, all {k} of them, and destroy the labels",
)
_TOOLS = (
    "[root@elm{s} ~]# uptime\n 10:0{s}:11 up {h} days,  1:0{s},  2 users,  load average: 0.{k}, 0.{m}, 0.{h}\n",
    "[root@elm{s} ~]# rm -rf /var/tmp/old\n",
    "[root@elm{s} ~]# dd if=/dev/zero of=/dev/sd{s} bs=1M count={k}\n",
    "[root@elm{s} ~]# mkfs.xfs /dev/vg{s}/home\n",
    "SQL> select count(*) from orders;\n\n  COUNT(*)\n----------\n     {k}00\n",
    "    cluster:\n      health: HEALTH_OK\n    services:\n      mon: {s} daemons\n",
    "$ nfsstat -c\nClient rpc stats:\ncalls      retrans    authrefrsh\n{k}00{m}   {s}          {k}00{m}\n",
    "# postqueue -p\nMail queue is empty\n",
    "",
    "",
)
_ENDS = (
    "Can you help?",
    "What do you need from us?",
    "This can wait until Monday.",
    "Thanks in advance.",
    "We will come back to this.",
)


def _ticket(seed: int) -> str:
    """A mail of three to six sentences from parts, with one output below or none."""
    chance = random.Random(seed)
    given = {
        "n": chance.randint(2, 9),
        "h": chance.randint(11, 29),
        "m": chance.randint(10, 59),
        "k": chance.randint(10, 99),
    }
    given["s"] = chance.randint(2, 8)
    sentences = [
        f"On {chance.choice(_WHERE)} {words.format(**given)}." for words in chance.sample(_DID, chance.randint(3, 6))
    ]
    head = (
        f"From: {chance.choice(_WHO)} <someone@elm.example>\nSubject: ticket {seed}\n\n"
        if chance.random() < 0.7
        else ""
    )
    quoted = [f"> {line}" for line in sentences[:2]] if chance.random() < 0.4 else []
    body = [*quoted, *sentences[len(quoted) :]]
    return head + "\n".join(body) + f"\n{chance.choice(_ENDS)}\n\n{chance.choice(_TOOLS).format(**given)}"


BY_HAND = (
    (
        "The meeting on the 12th starts 30 minutes later. There are 2 rooms with 40 seats, and we need 70: 2 "
        "* 40 = 80, so that is enough.\n"
    ),
    "From: Alma Reed <alma@elm.example>\n\nOur mail servers, 3 nodes with postfix, take 5 million mails in 24 hours.\n",
    (
        "Ticket 4711: on GPFS the backup of 8 million files takes 20 hours. mmbackup uses 4 threads on 2 "
        "nodes. Ext4 took 9 minutes.\n"
    ),
    "Oracle RAC, 4 nodes: gc buffer busy waits for 12 ms, 40 % of the DB time. The storage array says 0.5 ms.\n",
    (
        "After the change the import dropped 50 percent, from 400 rows/s to 100 rows/s. Something is wrong "
        "with this job.\n"
    ),
    "Our NFS home directories hold 30,000 files in a directory, and ls takes 40 seconds. Is there a limit?\n",
    "Ceph: 120 OSDs, 3 of them down, 5 % of the objects degraded. Recovery runs with 200 MB/s and takes 6 hours.\n",
    "We only tested with one node. With 3 nodes it was 4 times slower, with 5 nodes it did not end within 2 hours.\n",
    "Please do not run vxdg destroy or mkfs here, as somebody did on 3 servers last year. It cost us 2 days.\n",
    "The report says (45 / 60) * 100 = 80 %, but the finance people say that 75 % is right. Who checks the sums?\n",
    (
        "From: Chen Wu <chen@elm.example>\n\n> plock_rate_limit is 100 and window_size is 50, or so says the "
        "manual.\nWe have 2 nodes.\n"
    ),
    (
        "The GFS2 course takes 3 days, costs 1500 euros for 2 people, and shows du, find and rsync on a "
        "cluster of 4 nodes.\n"
    ),
)
TEXTS = (*BY_HAND, *(_ticket(seed) for seed in range(1, 53)))


def _noted(result: Diagnosis) -> list[str]:
    return [ref for ref in refs(result) if ref.startswith(SILENT)]


def test_the_texts_are_many_and_differ() -> None:
    assert len(set(TEXTS)) >= 60
    assert sum("[root@" in text or "SQL>" in text or "$ " in text for text in TEXTS) >= 15


@pytest.mark.parametrize("number", range(0, len(TEXTS), 8))
def test_a_text_about_anything_else_gives_no_note_and_no_workload(tmp_path: Path, number: int) -> None:
    for place, text in enumerate(TEXTS[number : number + 8]):
        result = diagnosed(tmp_path / str(place), text)
        assert _noted(result) == [], text
        assert "prose" not in result.products
        assert result.products == (), text


ROWS = (
    "1 osds down\n",
    "health: HEALTH_WARN\n        2 osds down\n        1 rack (4 osds) down\n",
    "2 nodes down\n3 links up\n",
    "7 jobs active\n4 sensors unknown\n",
    "2031-12-27 08:41:13,104 [ERROR]  @portal.py:65 - certificate verify failed\n",
    "10:41:13 WARN - signature check error\n10:41:14 WARN - token refresh offline\n",
    "07:10 job - nightly export failed\n",
)


@pytest.mark.parametrize("text", ROWS)
def test_a_sentence_that_looks_like_a_row_of_a_listing_is_none(tmp_path: Path, text: str) -> None:
    result = diagnosed(tmp_path, text)
    assert result.products == ()
    assert list(result.findings) == []


LISTED = (
    "       1      larch        active\n       2      rowan        down\n",
    "1 larch-01 active\n2 larch-02 down\n",
    "1 larch 2 2 3 active\n2 rowan 0 0 3 down\n",
    "-            -         arch03       arch         failed was:oak0_0b25\n",
    "oak0_0b24    auto:cdsdisk    arch04   arch       online failing\n",
)


@pytest.mark.parametrize("text", LISTED)
def test_rows_of_a_listing_need_no_heading(tmp_path: Path, text: str) -> None:
    assert diagnosed(tmp_path, text).findings != ()


SCALE = (
    "[root@gull4 ~]# mmdiag --waiters\n\n=== mmdiag: waiters ===\nWaiting 0.0032 sec since 10:00:01, "
    "monitored, thread 4711 PrefetchWorkerThread: for NSD I/O completion on node 10.0.12.15 <c0n1>\n"
)
VERITAS = (
    "[root@dunlin2 ~]# vxtunefs /media\nFilesystem i/o parameters for /media\nread_pref_io = 65536\n"
    "write_pref_io = 65536\n"
)
GFS2 = (
    "[root@kite3 ~]# cat /sys/kernel/debug/gfs2/pond:projects/glocks\nG:  s:SH n:2/1b3a f:Iq t:SH d:EX/0 "
    "a:0 v:0 r:3 m:200\n H: s:SH f:H e:0 p:7 [du] gfs2_readdir+0x1/0x2 [gfs2]\n"
)
SOUND = (
    "From: Dita Holm <dita@elm.example>\n\n{}\n\n",
    "The tree has 2 million files, and du takes 10 minutes on it; on ext4 it was 9 minutes.\n",
    "The ring carries 900kB/s and 4000pps at the peak, on each of the 3 nodes.\n",
    "The rate dropped by 25 percent, from 200 MB/s to 150 MB/s, which is (150 / 200) * 100 = 75 % of it.\n",
    "On this file system write_pref_io is 65536, and 16 * 4096 = 65536 as it should be.\n",
    "We keep 20,000 files in a directory, all of them for reading only.\n",
)


@pytest.mark.parametrize("data", [SCALE, VERITAS, GFS2], ids=["scale", "veritas", "gfs2"])
@pytest.mark.parametrize("words", SOUND[1:])
def test_what_is_right_gives_no_note_beside_records_either(tmp_path: Path, data: str, words: str) -> None:
    assert _noted(diagnosed(tmp_path, SOUND[0].format(words) + data)) == []


@pytest.mark.parametrize("data", [SCALE, VERITAS], ids=["scale", "veritas"])
def test_words_about_gfs2_beside_records_of_another_product_give_nothing(tmp_path: Path, data: str) -> None:
    words = (
        "On gfs2 the backup of 2 million files takes 20 hours, ext4 takes 8 minutes. ping_pong gives "
        "5000 locks/second.\nThe 2 nodes for imap hold 3 million files. window_size is 50 and netmtu is "
        "1500 there.\n"
    )
    assert _noted(diagnosed(tmp_path, SOUND[0].format(words) + data)) == []
