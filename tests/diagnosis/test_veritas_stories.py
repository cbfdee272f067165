"""Small bundles of Veritas clusters as customers send them: what the verdict, the chain and the findings must say of
the whole.
"""

from __future__ import annotations

from pathlib import Path

from tests.diagnosis.cluster_texts import diagnosis_of

DUMP = """lockname 0x9a30040 0x7d3c11e500020001 0x3e7 0x2c4f1
    type=regular port=f
    holder node=quay-fs-01 level=EX count=1
    info vol=0x9a30040 type=inode subtype=rwlock inumber=181489 fset=999 ias=0
    waiter node=quay-fs-02 level=EX count=4
    waiter node=quay-fs-03 level=SH count=11
"""
VXSTAT = """                      OPERATIONS          BLOCKS           AVG TIME(ms)
TYP NAME              READ     WRITE      READ     WRITE   READ  WRITE

Thu Jun 13 03:16:01 UTC 2030
vol nfsvol01     48371022  19837712 998273644 398827364    3.1    2.2

Thu Jun 13 03:16:06 UTC 2030
vol nfsvol01           12        61       122      8112    {ms}    {ms}

Thu Jun 13 03:16:11 UTC 2030
vol nfsvol01            9        55       102      8001    {ms}    {ms}
"""


def hang(ms: str, host: str = "quay-fs-01") -> str:
    here = "quay-fs-03.dc2.example:~ # "
    dumps = "".join(f"{here}date; glmdump -d 20\nThu Jun 13 03:{at} UTC 2030\n{DUMP}" for at in ("12:44", "15:10"))
    return f"{dumps}{here}ssh {host} vxstat -g nfsdg -i 5 -c 3\n{VXSTAT.format(ms=ms)}"


def test_the_slow_disk_of_the_node_that_holds_a_stuck_lock_stands_beside_it(tmp_path: Path) -> None:
    slow = diagnosis_of(tmp_path / "a", hang("612.4"))
    assert slow.verdict is not None
    assert slow.verdict.title.startswith(
        "quay-fs-01 holds the lock of inode 181489, and quay-fs-02 and quay-fs-03 wait for it"
    )
    [finding] = (one for one in slow.findings if one.ref == slow.verdict.ref)
    assert "nfsvol01 answered in 612.4 ms there" in finding.explanation
    for name, text in (("fast", hang("2.1")), ("elsewhere", hang("612.4", "quay-fs-02"))):
        assert all("answered in" not in one.explanation for one in diagnosis_of(tmp_path / name, text).findings)


LOST = """2030-08-02T22:14:01.112233+02:00 perch-1 kernel: LLT INFO V-14-1-10205 link 0 (ens224) node 2 in trouble
2030-08-02T22:14:01.312233+02:00 perch-1 kernel: LLT INFO V-14-1-10205 link 1 (ens256) node 2 in trouble
2030-08-02T22:14:07.112233+02:00 perch-1 kernel: LLT INFO V-14-1-10032 link 0 (ens224) node 2 inactive 8 sec (810)
2030-08-02T22:14:07.212233+02:00 perch-1 kernel: LLT INFO V-14-1-10032 link 1 (ens256) node 2 inactive 8 sec (811)
2030-08-02T22:14:15.112233+02:00 perch-1 kernel: LLT INFO V-14-1-10509 link 0 (ens224) node 2 expired
2030-08-02T22:14:15.113233+02:00 perch-1 kernel: LLT INFO V-14-1-10509 link 1 (ens256) node 2 expired
"""
EJECTED = (
    "2030-08-02T22:14:20.612233+02:00 perch-3 kernel: VXFEN CRITICAL V-11-1-20 Local cluster node ejected "
    "from cluster\n"
)
REPLAY = (
    "2030-08-02T22:14:27+02:00 perch-1 kernel: vxfs: msgcnt 12 mesg 131: V-2-131: vx_recon - /dev/vx/dsk/a/b "
    "log replay in progress\n"
)


def test_the_node_that_fencing_put_out_is_named_with_the_loss_of_links_before(tmp_path: Path) -> None:
    diagnosis = diagnosis_of(tmp_path, messages=LOST + EJECTED + REPLAY)
    assert diagnosis.verdict is not None
    assert diagnosis.verdict.title == "I/O fencing on perch-3: the node itself was put out"
    refs = [finding.ref for finding in diagnosis.findings]
    assert refs.count("R16") == 1  # the short losses led to the long one: they are not told again
    silent = next(finding for finding in diagnosis.findings if finding.ref == "R16")
    assert silent.verdict == "perch-1 lost node 2: 16 s without a heartbeat on all links"
    assert len(silent.evidence) == 4
    assert "R33" in refs


def test_links_that_expired_without_another_message_are_a_lost_node(tmp_path: Path) -> None:
    lines = [line for line in LOST.splitlines(keepends=True) if "expired" in line]
    both = diagnosis_of(tmp_path / "both", messages="".join(lines))
    assert both.verdict is not None
    assert both.verdict.title == "perch-1 lost node 2: 16 s without a heartbeat on all links"
    assert not [f for f in diagnosis_of(tmp_path / "one", messages=lines[0]).findings if f.severity == "critical"]


def test_a_message_of_the_engine_is_of_the_system_that_it_names(tmp_path: Path) -> None:
    log = "2030/09/10 04:12:01 VCS CRITICAL V-16-1-51100 (web-b2) VCS heartbeat to GAB delayed\n"
    [finding] = diagnosis_of(tmp_path, engine_A_dot_log=log + log.replace("04:12:01", "04:13:21")).findings
    assert (finding.ref, finding.nodes, finding.severity) == ("R18", ("web-b2",), "high")


def test_a_peer_is_called_by_the_name_that_the_engine_prints_beside_its_id(tmp_path: Path) -> None:
    gone = (
        "2030-08-02T22:14:21.1+02:00 perch-1 Had[411]: VCS ERROR V-16-1-10322 System perch-3 (Node '2') "
        "changed state to FAULTED\n"
    )
    silent = diagnosis_of(tmp_path, messages=LOST + gone).verdict
    assert silent is not None
    assert silent.title.startswith("perch-1 lost perch-3: 16 s")
