"""ST-11: a file system without room is a finding, whatever tool or language shows it; what is full by nature is not."""

from __future__ import annotations

import pytest

from tests.diagnosis.test_alarms import report

LINUX = """[root@plaice ~]# df -h
Filesystem               Size  Used Avail Use% Mounted on
/dev/mapper/vg0-mail     2.0T  {used}  {left}  {share}% /srv/mail
/dev/loop3                64M   64M     0 100% /snap/core/9
"""
GERMAN = """[root@plaice ~]# df -i
Dateisystem            Inodes IBenutzt IFrei IUse% Eingehängt auf
/dev/mapper/vg0-mail   655360   655360     0  100% /srv/mail
"""
AIX = """# df -k
Filesystem    1024-blocks      Free %Used    Iused %Iused Mounted on
/dev/lv04         8388608         0  100%    81223    42% /depot
"""
HPUX = """# bdf
Filesystem          kbytes    used   avail %used Mounted on
/dev/vg03/lvdepot 52428800 51380224 1048576   98% /depot
"""


@pytest.mark.parametrize(
    ("text", "severity", "words"),
    [
        (LINUX.format(used="2.0T", left="0", share=100), "high", ("/srv/mail", "plaice", "next to nothing is left")),
        (LINUX.format(used="1.9T", left="60G", share=97), "low", ("/srv/mail", "97 %", "hardly anything")),
        (GERMAN, "high", ("inodes of /srv/mail", "next to nothing is left")),
        (AIX, "high", ("/depot", "next to nothing is left")),
        (HPUX, "low", ("/depot", "98 %")),
    ],
)
def test_a_full_file_system_is_named(text: str, severity: str, words: tuple[str, ...]) -> None:
    found = [one for one in report(text)["findings"] if one["ref"] == "ST-11"]
    assert [one["severity"] for one in found] == [severity]
    assert all(word in found[0]["title"] for word in words)
    assert "/snap" not in found[0]["title"]


def test_room_enough_is_no_finding() -> None:
    found = report(LINUX.format(used="1.2T", left="800G", share=60))
    assert found["findings"] == []
    assert {"what": "file system /srv/mail in use", "value": 60.0}.items() <= found["measurements"][0].items()
