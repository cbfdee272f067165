"""System logs in which only programs speak that nobody here listens to are read, and are no proof that all is well."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.diagnosis.cluster_texts import diagnosis_of

STAMPS = ("Sep 27 14:21:50", "2027-09-27T14:21:50+02:00")
FOREIGN = {
    "a file service": "gfsvc[13100]: (root@client) open error on put_fd result: bad file descriptor",
    "a mail server": "postfix/smtpd[991]: connect from unknown[10.0.0.9]",
    "a database": "mariadbd[77]: 14:21:50 0 [Note] InnoDB: Buffer pool(s) load completed",
}
LISTENED = {
    "the kernel": "kernel: EXT4-fs (dm-1): mounted filesystem with ordered data mode",
    "the manager of services": "systemd[1]: Started Session 41 of user root.",
    "corosync": "corosync[1180]:   [TOTEM ] A new membership (1.6f) was formed. Members joined: 2",
}


def form(folder: Path, *lines: str) -> str:
    verdict = diagnosis_of(folder, "".join(f"{line}\n" for line in lines)).verdict
    assert verdict is not None
    return verdict.form


@pytest.mark.parametrize("stamp", STAMPS)
@pytest.mark.parametrize("message", FOREIGN.values(), ids=FOREIGN)
@pytest.mark.parametrize("times", [1, 400])
def test_of_others_alone_nothing_is_concluded(tmp_path: Path, stamp: str, message: str, times: int) -> None:
    assert form(tmp_path, *[f"{stamp} larch {message}"] * times) == "not_judged"


@pytest.mark.parametrize("stamp", STAMPS)
@pytest.mark.parametrize("message", LISTENED.values(), ids=LISTENED)
@pytest.mark.parametrize("times", [1, 400])
def test_a_log_in_which_one_speaks_that_is_listened_to_is_judged(
    tmp_path: Path, stamp: str, message: str, times: int
) -> None:
    others = [f"{stamp} larch {one}" for one in FOREIGN.values()] * times
    assert form(tmp_path, *others, f"{stamp} larch {message}", *others) == "healthy"
