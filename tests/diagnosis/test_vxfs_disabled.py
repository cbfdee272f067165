"""What VxFS logs of a file system that it disabled, that gets I/O errors or that is full: where it fires and where it
stays silent.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.diagnosis.cluster_texts import diagnosis_of

HEAD = "2031-06-01T22:14:{at}+02:00 fs-b kernel: "
DISABLED = HEAD + "vxfs: msgcnt 4 mesg 031: V-2-31: vx_disable - /dev/vx/dsk/fsdg/vol1 file system disabled\n"
METADATA = HEAD + (
    "vxfs: msgcnt 3 mesg 037: V-2-37: vx_metaioerr - vx_logbuf_clean - "
    "/dev/vx/dsk/fsdg/vol1 file system meta data write error in dev/block 0/12\n"
)
SUBDISK = HEAD + "VxVM vxio V-5-0-2 Subdisk sdb1-01 block 199822: Uncorrectable write error\n"
FULL = HEAD + "vxfs: msgcnt 9 mesg 001: V-2-1: vx_nospace - /dev/vx/dsk/fsdg/vol1 file system full (1 block extent)\n"
REPLAY = HEAD + "vxfs: msgcnt 12 mesg 017: V-2-17: vx_recon - /dev/vx/dsk/fsdg/vol1 log replay in progress\n"


@pytest.mark.parametrize(
    ("text", "severity", "verdict"),
    [
        (
            SUBDISK.format(at=56) + METADATA.format(at=57) + DISABLED.format(at=58),
            "critical",
            ("VxFS disabled fsdg/vol1 on fs-b at 1 Jun 2031 22:14:58, after I/O errors: every access there fails"),
        ),
        (
            DISABLED.format(at=58),
            "critical",
            "VxFS disabled fsdg/vol1 on fs-b at 1 Jun 2031 22:14:58: every access there fails",
        ),
        (METADATA.format(at=57), "high", "VxFS could not read or write fsdg/vol1 on fs-b at 1 Jun 2031 22:14:57"),
        (FULL.format(at=57), "medium", "fsdg/vol1 was full on fs-b at 1 Jun 2031 22:14:57"),
    ],
)
def test_vx_01_tells_what_happened_to_the_file_system(text: str, severity: str, verdict: str, tmp_path: Path) -> None:
    diagnosis = diagnosis_of(tmp_path, messages=text)
    assert diagnosis.verdict is not None
    assert (diagnosis.verdict.ref, diagnosis.verdict.severity, diagnosis.verdict.title) == ("VX-01", severity, verdict)


def test_vx_01_lines_stand_as_evidence_with_the_disk_below(tmp_path: Path) -> None:
    text = SUBDISK.format(at=56) + METADATA.format(at=57) + DISABLED.format(at=58)
    (finding,) = (one for one in diagnosis_of(tmp_path, messages=text).findings if one.ref == "VX-01")
    assert [ref.line for ref in finding.evidence] == [3, 2, 1]
    assert "Uncorrectable write error" in finding.explanation


HPUX = "Oct 29 03:11:{at} hp-b vmunix: WARNING: msgcnt {n}: {words}\n"


@pytest.mark.parametrize("form", ["vxfs: mesg {n:03}: ", "mesg {n:03}: V-2-{n:02}: ", "vxfs: mesg {n:03}: V-2-{n}: "])
def test_vx_01_damage_that_led_to_it_is_no_finding_of_its_own(form: str, tmp_path: Path) -> None:
    logged = (
        (20, "vx_logerr - /holds file system log error 5"),
        (8, "vx_direrr - /holds file system inode 88412 block 0 error 5"),
        (31, "vx_disable - /holds file system disabled"),
    )
    lines = [HPUX.format(at=40 + n, n=n, words=form.format(n=code) + words) for n, (code, words) in enumerate(logged)]
    (finding,) = diagnosis_of(tmp_path / "disabled", messages="".join(lines)).findings
    assert (finding.ref, "2 errors of the file system itself" in finding.explanation) == ("VX-01", True)
    (finding,) = diagnosis_of(tmp_path / "directory", messages=lines[1]).findings
    assert finding.title.startswith("A directory of /holds is damaged")


def test_vx_01_a_replay_alone_is_no_such_trouble(tmp_path: Path) -> None:
    assert "VX-01" not in [one.ref for one in diagnosis_of(tmp_path, messages=REPLAY.format(at=57)).findings]
