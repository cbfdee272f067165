"""A node that does not mount what the others mount, or mounts it for reading alone (ST-45)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.diagnosis.cluster_texts import by_folder, diagnosis_of

DF = """[root@{node} ~]# df -h
Filesystem      Size  Used Avail Use% Mounted on
devtmpfs         63G     0   63G   0% /dev
/dev/sda3        98G   21G   77G  22% /
{rows}"""
DF_K = """[root@{node} ~]# df -kT
Filesystem     Type        1K-blocks      Used  Available Use% Mounted on
/dev/sda3      xfs          98000000  21000000   77000000  22% /
{rows}"""
ROW = "fen             824T  301T  523T  37% /srv/fen\n"
ROW_K = "fen            gpfs     884763262976 323197337600 561565925376  37% /srv/fen\n"
MMLSMOUNT = """[root@sorrel1 ~]# mmlsmount fen -L

File system fen is mounted on {count} nodes:
{rows}
[root@sorrel1 ~]# mmgetstate -a

 Node number  Node name        GPFS state
-------------------------------------------
       1      sorrel1          active
       2      sorrel2          active
       3      sorrel3          active
       4      sorrel4          active
"""


def found(folder: Path, text: str) -> list[tuple[str, tuple[str, ...]]]:
    """The same by a transcript and by files in folders of the nodes."""
    typed, files = diagnosis_of(folder / "typed", text), by_folder(text)
    own: list[tuple[str, tuple[str, ...]]] = [
        (one.severity, tuple(one.nodes)) for one in typed.findings if one.ref == "ST-45"
    ]
    if len(files) > 1:
        again = diagnosis_of(folder / "files", **files)
        assert [(one.severity, tuple(one.nodes)) for one in again.findings if one.ref == "ST-45"] == own
    return own


def tables(form: str, row: str, *having: int, of: int = 4) -> str:
    return "".join(form.format(node=f"sorrel{at}", rows=row if at in having else "") for at in range(1, of + 1))


def listed(*having: int) -> str:
    rows = [f"  10.4.0.{at}        sorrel{at}                   fen.sorrel1" for at in having]
    return MMLSMOUNT.format(count=len(having), rows="\n".join(rows))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (tables(DF, ROW, 1, 2, 4), [("low", ("sorrel3",))]),
        (tables(DF_K, ROW_K, 2, 3, 4), [("low", ("sorrel1",))]),
        (listed(1, 2, 4), []),  # managers of a cluster often mount nothing
        (tables(DF, ROW, 1, 2), []),
        (tables(DF, ROW, 1, 2, 3, 4), []),
        (tables(DF, "tmpfs           1.0G     0  1.0G   0% /work\n", 1, 2, 4), []),
        (tables(DF, "nas:/vol/fen    1.0T  0.2T  0.8T  20% /fen\n", 1, 2, 4), []),
        (listed(1, 2, 3, 4), []),
        (listed(1, 2), []),
    ],
)
def test_a_node_without_the_mount_of_the_others_is_named(
    tmp_path: Path, text: str, expected: list[tuple[str, tuple[str, ...]]]
) -> None:
    assert found(tmp_path, text) == expected


def test_a_node_whose_list_is_of_another_mount_lacks_none(tmp_path: Path) -> None:
    of_another = DF.format(node="sorrel4", rows="").replace("df -h", "df -h /var")
    assert found(tmp_path, tables(DF, ROW, 1, 2, 3, of=3) + of_another) == []


@pytest.mark.parametrize(
    ("ways", "expected"),
    [
        (("rw", "rw", "ro"), [("medium", ("sorrel3",))]),
        (("ro", "rw"), [("medium", ("sorrel1",))]),
        (("ro", "ro", "ro"), []),
        (("rw", "rw", "rw"), []),
    ],
)
@pytest.mark.parametrize("form", ["fen on /srv/fen type gpfs ({way},relatime)", "fen /srv/fen gpfs {way},relatime 0 0"])
def test_a_node_that_mounts_for_reading_alone_is_named(
    tmp_path: Path, form: str, ways: tuple[str, ...], expected: list[tuple[str, tuple[str, ...]]]
) -> None:
    command = "cat /proc/mounts" if form.endswith("0 0") else "mount"
    text = "".join(f"[root@sorrel{at} ~]# {command}\n{form.format(way=way)}\n" for at, way in enumerate(ways, 1))
    assert found(tmp_path, text) == expected


ROOT = "/dev/sda3 on / type xfs (rw,relatime)\n"
CFS = "/dev/vx/dsk/fendg/fenvol on /srv/fen type vxfs (rw,noatime,nomtime,delaylog,cluster)\n"
ROOT_ROW = "/dev/sda3 / xfs rw,relatime 0 0\n"
CFS_ROW = "/dev/vx/dsk/fendg/fenvol /srv/fen vxfs rw,noatime,nomtime,delaylog,cluster 0 0\n"


def vxfs_mounts(command: str, root: str, row: str, *having: int, of: int = 4) -> str:
    return "".join(f"[root@sorrel{at} ~]# {command}\n{root}{row if at in having else ''}" for at in range(1, of + 1))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (vxfs_mounts("mount", ROOT, CFS, 1, 2, 4), [("low", ("sorrel3",))]),
        (vxfs_mounts("cat /proc/mounts", ROOT_ROW, CFS_ROW, 2, 3, 4), [("low", ("sorrel1",))]),
        (vxfs_mounts("mount | grep -v tmpfs", ROOT, CFS, 1, 2, 3, 4), []),
        (vxfs_mounts("mount", ROOT, CFS.replace(",cluster", ""), 1, 2, 4), []),  # a file system of one host
        (vxfs_mounts("cat /etc/fstab", ROOT_ROW, CFS_ROW, 1, 2, 4), []),  # what is to be mounted
        (vxfs_mounts("mount", ROOT, CFS, 1, 2, 3, of=3) + f"[root@sorrel4 ~]# mount | grep sda3\n{ROOT}", []),
    ],
)
def test_a_node_without_the_cluster_mount_of_vxfs_is_named(
    tmp_path: Path, text: str, expected: list[tuple[str, tuple[str, ...]]]
) -> None:
    assert found(tmp_path, text) == expected


def test_a_loop_over_nodes_names_the_one_without_the_mount(tmp_path: Path) -> None:
    rows = "".join(f"== sorrel{at}\n{ROOT}{'' if at == 2 else CFS}" for at in range(1, 5))
    text = f'$ for h in sorrel1 sorrel2 sorrel3 sorrel4; do echo "== $h"; ssh $h mount; done\n{rows}'
    own = [(one.severity, tuple(one.nodes)) for one in diagnosis_of(tmp_path, text).findings if one.ref == "ST-45"]
    assert own == [("low", ("sorrel2",))]
