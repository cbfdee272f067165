"""How somebody signs below an output is no row of its list, and heads of logs go with what collectors leave of them."""

from __future__ import annotations

import json

import pytest

from tests.reports import bundle, text_on

EXPELLED = "[root@reed-m1 ~]# mmexpelnode --list\n"
ALARMING = ("medium", "high", "critical")


def _named(text: str) -> set[str]:
    """Words of the findings that weigh something, in one text."""
    report = json.loads(text_on(bundle(text.encode(), "mail.txt")))
    return {finding["title"] for finding in report["findings"] if finding["severity"] in ALARMING}


@pytest.mark.parametrize(
    "text",
    [
        f"Hi,\n\n{EXPELLED}(none)\n\nRegards,\nJo\n",
        f"{EXPELLED}(none)\n\nGruss\nMartin\n",
        f"{EXPELLED}(none)\nTim\n",
        f"{EXPELLED}Node List\n---------------------\n(none)\n\n-- \nanna\n",
        f"{EXPELLED}No expelled nodes.\n\n\nPierre\n",
        f"Hi,\n\n{EXPELLED}\nRegards\nJo\n",
    ],
)
def test_who_signs_was_not_expelled(text: str) -> None:
    assert _named(text) == set()


@pytest.mark.parametrize(
    "text",
    [
        f"Hi,\n\n{EXPELLED}Node List\n---------------------\n10.44.1.64 (reed-c7.reed.lab)\n\nRegards,\nJo\n",
        f"{EXPELLED}Node List\n---------------------\nreed-c7\n\nJo\n",
        f"{EXPELLED}reed-c7.reed.lab\n",
        "# mmexpelnode \u2013list\nNode List\n---------------------\n10.44.1.64 (reed-c7.reed.lab)\n",
    ],
)
def test_who_stands_in_the_list_was(text: str) -> None:
    [title] = _named(text)
    assert "reed-c7" in title
    assert "Jo" not in title.split()


HEAD = "[2031/03/26 14:43:47.395810,  0] ../lib/util/fault.c:80(fault_report)"


@pytest.mark.parametrize(
    "text",
    [
        f"{HEAD}\n  INTERNAL ERROR: Signal 11 in pid 25659 (4.8.12)\n",
        f"reed1: {HEAD}\nreed1:   INTERNAL ERROR: Signal 11 in pid 25659 (4.8.12)\n",
        f"1: {HEAD}\n2:   INTERNAL ERROR: Signal 11 in pid 25659 (4.8.12)\n",
        f"{HEAD.replace(',  0', ', 	0')}\n\tINTERNAL ERROR: Signal 11 in pid 25659 (4.8.12)\n",
        f"{HEAD}\nINTERNAL ERROR: Signal 11 in pid 25659 (4.8.12)\n",
    ],
)
def test_a_head_of_samba_goes_with_the_words_below_it(text: str) -> None:
    [title] = _named(text)
    assert "Samba" in title


@pytest.mark.parametrize(
    "text",
    [
        f"reed1: {HEAD.replace('  0', '  3')}\nreed1:   client7 (ipv4:10.1.1.7:51212) closed connection to projects\n",
        f"{HEAD.replace('  0', '  3')}\nsmbd version 4.8.12 started.\n",
    ],
)
def test_everyday_words_of_samba_raise_none(text: str) -> None:
    assert _named(text) == set()


STAMP = "2030-03-12T09:15:01.123456789Z"


def _nodes(text: str) -> set[str]:
    report = json.loads(text_on(bundle(text.encode(), "pod.log")))
    return {node["name"] for node in report["nodes"]}


@pytest.mark.parametrize(
    "lines",
    [
        ("Printing ring status.", "Local node ID 2", "RING ID 0", "\tid\t= 10.7.0.12", "\tstatus\t= ring 0 FAULTY"),
        ("Printing link status.", "LINK ID 0", "\taddr\t= 10.7.0.13", "\tstatus\t= OK"),
        ("settings", "\tmode\t: active", "\trate\t= 7"),
    ],
)
def test_a_setting_behind_a_tab_is_no_node(lines: tuple[str, ...]) -> None:
    assert _nodes("".join(f"{STAMP} {line}\n" for line in lines)) == set()


DF = "$ df -k\nFilesystem 1K-blocks Used Available Use% Mounted on\n"


@pytest.mark.parametrize("device", ["/dev/vx/dsk/moss/scans", "/dev/sdb1", "/dev/mapper/vg-scans"])
def test_a_row_of_df_that_was_cut_takes_no_name_from_the_next(device: str) -> None:
    text = f"{DF}{device} 104857600 98566144 6094848 95%\n/dev/vx/dsk/moss/rolls 104857600 9856\n"
    report = json.loads(text_on(bundle(text.encode(), "df.txt")))
    [title] = [finding["title"] for finding in report["findings"]]
    assert device in title
    assert "104857600" not in title


def test_a_folder_with_a_blank_keeps_its_name() -> None:
    text = f"{DF}/dev/sdb1 104857600 98566144 6094848 95% /data/of moss 7\n"
    report = json.loads(text_on(bundle(text.encode(), "df.txt")))
    assert "/data/of moss 7" in report["findings"][0]["title"]


SIGNED = ("Regards,\nJo\n", "Best regards\nTim Moss\n", "Gruss\nMartin\n", "Thanks\n\nanna\n")


@pytest.mark.parametrize("signed", SIGNED)
@pytest.mark.parametrize(
    "shown",
    [
        "# cat /etc/hostname\nplum4.lab\n",
        "plum4# fsclustadm -v showprimary /srv/pots\nplum5\n",
        "[root@plum4 ~]# mmlsnodeclass\nNode Class Name       Members\n--------------------- ---------------\n"
        "nsdNodes              plum4,plum5,\n                      plum6\n",
    ],
)
def test_who_signs_is_no_node(shown: str, signed: str) -> None:
    names = _nodes(f"Hello,\n\nthis is what we saw:\n\n{shown}\n{signed}")
    assert {name.split(".")[0] for name in names} <= {"plum4", "plum5", "plum6"}
    assert names
