"""Paths of NVMe over fabrics: lost ones are told with their subsystem, a whole set is no alarm."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tests.diagnosis.cluster_texts import diagnosis_of, verdict_in

LIST: Final = (
    "{prompt}nvme-subsys4 - NQN=nqn.2030-01.lab:jars\n\\\n"
    " +- nvme{a} {how} {one} {first}\n +- nvme{b} {how} {two} {second}\n"
)
ADDRESSES: Final = {
    "tcp": ("traddr=10.9.0.5,trsvcid=4420,src_addr=10.9.0.21", "traddr=10.9.0.6,trsvcid=4420,src_addr=10.9.0.22"),
    "rdma": ("traddr=10.9.0.5 trsvcid=4420", "traddr=10.9.0.6 trsvcid=4420"),
    "fc": ("traddr=nn-0x1:pn-0x2 host_traddr=nn-0x3:pn-0x4", "traddr=nn-0x5:pn-0x6 host_traddr=nn-0x3:pn-0x4"),
}


def _text(how: str, first: str, second: str, prompt: str = "") -> str:
    one, two = ADDRESSES[how]
    return LIST.format(prompt=prompt, a=1, b=12, how=how, one=one, two=two, first=first, second=second)


@pytest.mark.parametrize("how", ADDRESSES)
@pytest.mark.parametrize("state", ["connecting", "resetting", "deleting (no IO)", "live persistent-loss"])
@pytest.mark.parametrize("prompt", ["", "[root@wren ~]# nvme list-subsys\n"])
def test_a_path_that_is_gone_is_reported_with_its_subsystem(tmp_path: Path, how: str, state: str, prompt: str) -> None:
    judged = diagnosis_of(tmp_path, _text(how, "live optimized", state, prompt))
    assert "nvme-subsys4" in verdict_in(judged).title
    assert "nvme12" in verdict_in(judged).title
    assert verdict_in(judged).severity == "medium"
    assert judged.next_steps


@pytest.mark.parametrize("how", ADDRESSES)
@pytest.mark.parametrize("second", ["live optimized", "live non-optimized", "live inaccessible", "live"])
def test_paths_that_all_live_are_no_alarm(tmp_path: Path, how: str, second: str) -> None:
    judged = diagnosis_of(tmp_path, _text(how, "live optimized", second))
    assert not [one for one in judged.findings if one.severity != "info"]


def test_a_subsystem_without_a_path_that_lives_is_critical(tmp_path: Path) -> None:
    assert verdict_in(diagnosis_of(tmp_path, _text("tcp", "connecting", "connecting"))).severity == "critical"
