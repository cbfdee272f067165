"""A mailing list: a slow backup on GFS2, lock rates by ping_pong, and a profile of another site. Two speakers, whose
figures stay apart.
"""

from __future__ import annotations

REFS = {"PL-01", "DH-01", "DH-02", "NW-06", "WL-01", "WL-03", "CONTRADICTION"}

_DLM = (
    ("search_rsb_list", 180412, 44.31), ("create_lkb", 109877, 26.98), ("search_bucket", 35120, 8.62),
    ("find_lkb", 5210, 1.28),
    ("process_send_sockets", 4011, 0.98), ("dlm_scan_rsbs", 3877, 0.95), ("_request_lock", 3320, 0.82),
    ("find_rsb", 3105, 0.76),
)  # fmt: skip
_GFS2 = (
    ("search_bucket", 8410, 14.9), ("do_promote", 5980, 10.6), ("gfs2_glock_put", 2512, 4.45),
    ("run_queue", 2250, 3.99),
    ("gfs2_glock_nq", 2108, 3.73),
)  # fmt: skip


def _report(image: str, rows: tuple[tuple[str, int, float], ...], times: float) -> str:
    head = (
        f"opreport --image /{image}\nCPU: Intel Westmere, speed {2400 * times:.2f} MHz (estimated)\n"
        "Counted CPU_CLK_UNHALTED events (Clock cycles when not halted) with a unit mask of 0x00 (No "
        "unit mask) count 100000\nsamples  %        symbol name\n"
    )
    return head + "".join(f"{round(samples * times):<8} {percent:.4f}  {symbol}\n" for symbol, samples, percent in rows)


def _profiles(times: float) -> str:
    return f"{_report('gfs2', _GFS2, times)}\n{_report('dlm', _DLM, times)}"


FIRST = f"""From: "Ines Falk" <ines@reed.example>
To: cluster@reed.example
Date: Mon, 13 May 2024 08:02:11 +0200

Hello Jonas, we see much the same here. One tree on GFS2 holds 1.7 million files, and a cold du over it needs 6 minutes.
With lockproto=lock_nolock, on the same machine, the time is 12-15 seconds.

{_profiles(1.0)}
So 44% of the time is spent in search_rsb_list while that du is running, if I read the report well.

On Sun, 2024-05-12 at 19:40 +0200, Jonas Ried wrote:
> The nightly backup of 1.9 million files on our cluster ran for 18-22 hours, while ext4 needs 7 minutes for those files.
>
> ping_pong on one server reports 4300 locks/second, and single digits as soon as the other servers join in.
>
> There are two sites. Mail is on 2 nodes (dovecot, Maildir with 2.2-2.6 million files), the shares are on 4 nodes.
>
> window_size = 50
> netmtu = 1500
>
> The ring carries 90kb/s and 3500pps at the most.
"""  # noqa: E501 - as the tool prints it

SECOND = f"""From: "Pavel Stransky" <pavel@alder.example>
Subject: Re: long backups
Date: Thu, 06 Jun 2024 15:30:00 +0000

Here are the two reports that I took with oprofile:

{_profiles(1.15)}
On this system du over 2.4 million files takes 7 minutes when nothing is cached. The very same files take 20 to 25 seconds
with lock_nolock as the locking protocol. As you see 44 percent of the time goes into search_rsb_list.

On Wed, 2024-06-05 at 21:11 +0000, Runa Holm wrote:
> On the ring I measured peaks of 4200pps and 110kb/s for each of the machines.
>
> From the manual page I took these defaults:
> netmtu = 1500
> window_size = 50
>
> Our imap service, two nodes with 3 million files in one Maildir tree, shares the storage with a second cluster of 3 nodes.
>
> A ping_pong run gives 5200 locks/s when it is alone; with all the others in the same place it is down to single digits.
>
> For 2.3 million files the incremental backup takes 24-26 hours. The same set of files on ext4 takes only 9 minutes.
"""  # noqa: E501 - as the tool prints it

THIRD = f"""From: "Mara Quist" <mara@birch.example>
To: list@birch.example
Date: Tue, 17 Sep 2024 11:00:05 +0100

Hi Ole, thanks for the numbers. Mine, from a cluster on the same release, are below.

A scan with du, 1.2 million files in all, took 4 minutes here. On lock_nolock it took 8 to 10 seconds.

{_profiles(0.9)}
From this I conclude that the kernel uses 44 % of its time for search_rsb_list.

On Mon, 2024-09-16 at 09:12 +0100, Ole Berg wrote:
> In numbers: 3.1 million files and 26-30 hours for a backup that copies next to nothing. With ext4 it was 11 minutes.
>
> Each node sends up to 75kb/s in 2600pps over its private interface.
>
> courier runs on 2 nodes, which share a spool of 1.8-2 million files; the other cluster has 3 nodes.
>
> For the locks we used ping_pong, which counts 6100 locks/second on a single machine.
>
> window_size = 50
> netmtu = 1500
"""

TEXTS = (FIRST, SECOND, THIRD)
