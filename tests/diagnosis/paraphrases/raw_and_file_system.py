"""A guide that compares a raw device, ext3 and GFS2 by dd, with one share that was worked out wrongly."""

from __future__ import annotations

REFS = {"ST-01", "ST-02", "ST-03", "ARITHMETIC", "DESTRUCTIVE"}
_BYTES = 8388608000


def _dd(target: str, rate: float, *options: str) -> str:
    return f"# dd if=/dev/zero of={target} bs=8M count=1000{''.join(f' {one}' for one in options)}\n{_result(rate)}"


def _result(rate: float) -> str:
    return (
        f"1000+0 records in\n1000+0 records out\n{_BYTES} bytes (8.4 GB) copied, {_BYTES / rate / 1e6:.4f} s, "
        f"{rate:g} MB/s\n"
    )


_DROP = "# sync; echo 3 > /proc/sys/vm/drop_caches\n"


def _ext3(device: str, mount: str, rate: float) -> str:
    return (
        f"# mkfs.ext3 {device}\n{_DROP}# mount -t ext3 {device} {mount}\n"
        f"{_dd(f'{mount}/try', rate, 'conv=fsync')}# umount {mount}\n"
    )


def _gfs2(device: str, mount: str, rate: float) -> str:
    make = f"# mkfs.gfs2 -O -p lock_nolock {device}\n{_DROP}# mount -t gfs2 {device} {mount}\n"
    return f"{make}{_dd(f'{mount}/try', rate, 'conv=fsync')}# umount {mount}\n"


FIRST = f"""Which layer is slow? This page compares three of them on a spare volume. All that is on the volume is lost.

First the volume as it is, past the page cache:

{_dd("/dev/vgtest/lvtry", 200, "oflag=direct")}
The same on another array:

{_result(440)}
That array is 2.2 times faster than the first one.

Now with the page cache in between:

{_dd("/dev/vgtest/lvtry", 150)}
The rate dropped about 25 percent, from 200 MB/s to 150 MB/s.

Next comes ext3 on this volume:

{_ext3("/dev/vgtest/lvtry", "/mnt/try", 160)}
The file system ext3 is thus 15 percent below the volume, that is (160 / 200) * 100 = 85% of what it can do.

And at last GFS2 without cluster locks:

{_gfs2("/dev/vgtest/lvtry", "/mnt/try", 124)}
For GFS2 the share is (124 / 200) * 100 = 62% of the volume.
"""

SECOND = f"""We were asked how to find out where the time goes. Take a volume that nobody needs, since these steps overwrite it.

{_dd("/dev/lab/scratch", 180, "oflag=direct")}
For comparison, a second storage box gave this:

{_result(414)}
It is 2.3 times faster.

Buffered writes to the same volume cost something:

{_dd("/dev/lab/scratch", 126)}
The throughput fell by 30 %, from 180 MB/s to 126 MB/s.

A local file system on top of it, here ext3, with all data forced out at the end:

{_ext3("/dev/lab/scratch", "/srv/lab", 144)}
So it reaches (144 / 180) * 100 = 83% of the device, and 17 percent are gone.

The cluster file system was made with lock_nolock, so that no other machine has a say:

{_gfs2("/dev/lab/scratch", "/srv/lab", 113.4)}
It reaches (113.4 / 180) * 100 = 63% of the device.
"""  # noqa: E501 - as the tool prints it

THIRD = f"""Notes from the bench, in the order in which we worked. Nothing on the test disk was worth keeping.

{_dd("/dev/bench/one", 250, "oflag=direct")}
{_dd("/dev/bench/one", 180)}
With the cache it decreased by 28 percent, from 250 MB/s to 180 MB/s.

Another box of disks, same command:

{_result(600)}
This one was 2.4 times faster.

{_ext3("/dev/bench/one", "/bench", 195)}
On ext3 we get 80% of the raw figure, as (195 / 250) * 100 = 80% shows, hence a loss of 20 percent.

{_gfs2("/dev/bench/one", "/bench", 155)}
GFS2 with one node and no cluster locks: (155 / 250) * 100 = 62% of the raw figure.
"""

TEXTS = (FIRST, SECOND, THIRD)
