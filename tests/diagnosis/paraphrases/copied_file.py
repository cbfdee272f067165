"""A copy that is slow on one of two VxFS file systems, traced: many small requests here, few large ones there."""

from __future__ import annotations

from tests.diagnosis.test_vxfs_tools_requests import BUFFERED, DIRECT, HEAD, call, requests

REFS = {"R20", "R21"}


def _slow(times: float) -> str:
    return (
        HEAD
        + call(11, 240.0 * times)
        + call(11, 255.0 * times)
        + requests(11, "273,4015", 65536, 4.1 * times, BUFFERED)
    )


def _fast(times: float) -> str:
    return (
        HEAD
        + call(12, 150.0 * times)
        + call(12, 148.0 * times)
        + requests(12, "273,4009", 1048576, 15.7 * times, DIRECT)
    )


def _tunables(mount: str) -> str:
    return (
        f"Filesystem i/o parameters for {mount}\nread_pref_io = 65536\nread_nstream = 1\nwrite_pref_io = "
        "65536\nwrite_nstream = 1\nmax_direct_iosz = 1048576\ndiscovered_direct_iosz = 262144\n"
    )


FIRST = f"""A large file is copied to two file systems of one server, and the copy to one of them lasts up to 3 times longer. Several
things had been updated in between: the driver of the adapters, the volume manager, and the system itself.

{_slow(1.0)}
The other one looks like this:

{_fast(1.0)}
So eight requests of 1 MB take this long:

15.7 \\* 8 = 125.6

against all the small ones, one behind the other:

4.1 \\* 128 = 524.8

{_tunables("/export/one")}
"""  # noqa: E501 - as the tool prints it

SECOND = f"""Both file systems have these settings:

{_tunables("/data/b")}
I traced cp on the good one first.

{_fast(1.1)}
Then on the bad one, where every request has 64 KB only:

{_slow(1.1)}
In sum 128 requests are needed there, and 8 on the other. The users speak of a copy that takes 2.5 times as long.

17.27 * 8 = 138.16
"""

THIRD = f"""Since the weekend copies of our exports, each of about 600 MB, are slower on /vol/x than on /vol/y, by a factor of 3 at times.

Trace on /vol/x:

{_slow(0.95)}
and on /vol/y:

{_fast(0.95)}
What vxtunefs says is the same for both of them:

{_tunables("/vol/x")}
A fragmented file system could be the reason. I will look at that next week.
"""  # noqa: E501 - as the tool prints it

TEXTS = (FIRST, SECOND, THIRD)
