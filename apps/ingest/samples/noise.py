"""Text that is in every real bundle and says nothing about the case."""

from __future__ import annotations

from random import Random

from apps.ingest.samples.clock import Clock

_SYSLOG = (
    "systemd[1]: Started Session {n} of user monitor.",
    "sshd[{n}]: Accepted publickey for monitor from 192.0.2.{b} port {p} ssh2",
    "sshd[{n}]: pam_unix(sshd:session): session opened for user monitor by (uid=0)",
    "sshd[{n}]: pam_unix(sshd:session): session closed for user monitor",
    "CROND[{n}]: (root) CMD (/usr/lib64/sa/sa1 1 1)",
    "chronyd[1187]: Selected source 192.0.2.{b}",
    "systemd[1]: session-{n}.scope: Succeeded.",
    "rsyslogd[1422]: imjournal: journal files changed, reloading...",
    "dbus-daemon[1103]: [system] Successfully activated service 'org.freedesktop.hostname1'",
)


def syslog(rng: Random, clock: Clock, host: str, *, lines: int, until_s: float) -> str:
    """``/var/log/messages`` of a quiet machine, from an hour before the story to ``until_s``."""
    moments = sorted(rng.uniform(-3600.0, until_s) for _ in range(lines))
    return "".join(f"{clock.syslog(s)} {host} {_filled(rng)}\n" for s in moments)


def _filled(rng: Random) -> str:
    words = {"n": rng.randrange(2000, 64000), "b": rng.randrange(10, 90), "p": rng.randrange(33000, 60000)}
    return rng.choice(_SYSLOG).format(**words)
