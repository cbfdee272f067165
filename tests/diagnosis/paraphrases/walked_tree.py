"""An article on walks of a tree on a Veritas cluster file system: cold and warm caches, first access from a second
node, both at once.
"""

from __future__ import annotations

REFS = {"R1", "R3", "R4", "R5", "R7", "R26", "CONTRADICTION"}


class _Story:
    """The outputs of one telling: its mount, its number of files, and all rates in proportion."""

    def __init__(self, mount: str, files: int, day: str) -> None:
        self.mount = mount
        self.files = files
        self.day = day
        self.walk = f"# time find {mount}/tree -ls | wc -l\n{files}\n"

    def timed(self, seconds: float, remark: str = "") -> str:
        minutes, rest = divmod(seconds, 60)
        tail = f"      <<< {remark}" if remark else ""
        return f"{self.walk}real    {minutes:.0f}m{rest:.3f}s{tail}\nuser    0m1.412s\nsys     0m8.940s\n"

    def cached(self, inodes: int, host: str = "") -> str:
        most = self.files + 4000
        return (
            f"{host}# vxfsstat -v {self.mount} | grep inuse\nvxi_icache_inuseino     {inodes:>8}    "
            f"vxi_icache_maxino     {most:>8}\n"
        )

    def masters(self, created: int, normalised: int) -> str:
        return (
            f"# vxfsstat -s {self.mount} | grep master\nvxi_masterless_locks    {created:>8}    "
            f"vxi_normalize_locks   {normalised:>8}\n"
        )

    def sample(self, clock: str, rows: dict[str, int], remark: str = "") -> str:
        names = list(rows)
        pairs = [names[i : i + 2] for i in range(0, len(names), 2)]
        lines = "".join("    ".join(f"{name:<22} {rows[name]:>12}" for name in pair) + "\n" for pair in pairs)
        lines = lines.rstrip("\n") + (f"     <<< {remark}\n" if remark else "\n")
        return (
            f"# vxfsstat -s {self.mount} -t 10 | awk '$2 != 0 || $4 != 0 {{print}}'\n"
            f"{clock}.120 {self.day} {clock} AM CET -- delta (10.000 sec sample)\n{lines}"
        )

    def storm(self, victim: str, puller: str, rate: int, remark: str) -> str:
        """The first access from the second node; the remark names another figure than its row."""
        lost = self.sample(
            "09:14:45",
            {"vxi_hlockgrant": 0, "vxi_hlockrevoke": 2 * rate, "vxi_masterless_locks": 0, "vxi_normalize_locks": rate},
            remark,
        )
        won = self.sample(
            "09:14:47",
            {
                "vxi_hlockgrant": 2 * rate,
                "vxi_hlockrevoke": 0,
                "vxi_rwlockgrant": rate,
                "vxi_rwlockrevoke": 0,
                "vxi_rwlock_iupdat": 0,
                "vxi_glockgrant": rate,
                "vxi_staleowner": 0,
                "vxi_strong_pullowner": rate,
            },
        )
        return f"{victim}:\n\n{lost}\n{puller}:\n\n{won}"

    def both(self, one: str, other: str, rate: int) -> str:
        """Both nodes take the same inodes from each other."""
        rows = {
            "vxi_hlockgrant": rate,
            "vxi_hlockrevoke": rate - 600,
            "vxi_staleowner": 0,
            "vxi_strong_pullowner": rate,
        }
        return f"{one}:\n\n{self.sample('10:21:26', rows)}\n{other}:\n\n{self.sample('10:21:28', rows)}"


_A = _Story("/media", 301200, "Thu 21 Mar 2024")
FIRST = f"""Why listing many files takes long on a cluster file system

An inode that no cache holds is read from disk.

{_A.cached(210, "gannet1")}
As vxi_icache_inuseino is 5, every inode has to come from disk:

{_A.timed(38.2, "all from disk")}
A second walk finds them in memory:

{_A.cached(286000)}
{_A.timed(1.9)}
On the other node the first walk turns all locks into locks of the cluster, which takes 2 minutes and more.

{_A.masters(301240, 28)}
{_A.storm("Node 0", "Node 1", 21500, "normalized 25110 of them")}
Node 1:

{_A.timed(141.5)}
Node 0:

{_A.masters(301240, 301233)}
Where both nodes walk at one time, the locks go to and fro:

{_A.both("Node 0", "Node 1", 70400)}
{_A.timed(52.6)}
{_A.timed(52.9)}
"""

_B = _Story("/archive/rolls", 512600, "Tue 14 May 2024")
SECOND = f"""One node alone

{_B.cached(318, "dunlin1")}
You can see that hardly anything is cached here; vxi_icache_inuseino is 12 at this moment.

{_B.timed(61.4, "cold")}
{_B.cached(498000)}
{_B.timed(3.1, "warm")}

The second node for the first time

{_B.masters(512655, 40)}
{_B.storm("Node 0", "Node 1", 26800, "31000 locks normalized")}
Node 1:

{_B.timed(190.4)}
Node 0:

{_B.masters(512655, 512640)}

Two nodes at once

We had both nodes walk through 512600 files in parallel. For each of them it took nearly 1 minute.

{_B.both("Node 0", "Node 1", 81200)}
{_B.timed(58.1)}
{_B.timed(58.4)}
"""

_C = _Story("/srv/scans", 240800, "Fri 09 Aug 2024")
THIRD = f"""Caches

{_C.cached(150, "petrel3")}
The counter vxi_icache_inuseino is 0 after the mount.

{_C.timed(29.7)}
{_C.cached(231000)}
{_C.timed(1.6)}

Locks without a master

As long as one node alone has seen a file, its lock has no master, and the walk is as fast as on a local file system.

{_C.masters(240833, 22)}
When the second node comes, all of that changes within 2 minutes.

{_C.storm("Node 0", "Node 1", 19900, "20500 per sample")}
Node 1:

{_C.timed(126.0)}
Node 0:

{_C.masters(240833, 240825)}

In parallel

{_C.both("Node 0", "Node 1", 66100)}
{_C.timed(49.2)}
{_C.timed(49.0)}
"""

TEXTS = (FIRST, SECOND, THIRD)
