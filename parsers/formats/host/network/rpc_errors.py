"""What ``rpcinfo``, ``showmount`` and mounts of NFS say where a host does not answer their calls, or lacks the service.

    # rpcinfo -p moth4
    rpcinfo: can't contact rpcbind: RPC: Remote system error - No route to host
    clnt_create: RPC: Port mapper failure - Timed out
    [tcp] moth4:/srv/pots: RPCPROG_NFS: RPC: Port mapper failure - RPC: Timed out

Yields ``Event``: about the host, as the line or the command above names it, or about what is missing there. No times.
Source: rpcinfo(8), showmount(8), rpc(3) and mount_nfs(8) of the BSDs.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from parsers.records import Event
from parsers.registry import parser
from parsers.tables.rows import Row, Rows

if TYPE_CHECKING:
    from parsers.output import Output
    from parsers.sections.open_section import OpenSection
    from parsers.text import Line

_TOOLS: Final = r"(?:rpcinfo|showmount|clnt(?:udp|tcp|_tp)?_create|clnt_\w{2,20}|rpc mount (?:export|dump)|yp\w{2,12})"
_MISSING: Final = (
    r"(?:RPC: )?(?P<missing>Program(?:/version mismatch| not registered| unavailable)|Procedure unavailable)"
)
_SILENT: Final = (
    r"(?:RPC: )?(?:Port ?mapper failure|Rpcbind failure|Timed out|Remote system error|Unable to (?:receive|send)"
    r"|Unknown host|Connection (?:refused|timed out)|No route to host)"
)
_HEADS: Final = (
    rf"(?:{_TOOLS}: (?:can't contact (?:rpcbind|portmapper)(?: on \S{{1,253}})?[:,]? )?"
    r"|\[(?:tcp6?|udp6?)\] (?P<of>[\w.:-]{1,253}):/\S{0,400}: (?:RPCPROG_\w{2,20}|\w{2,30}): "
    r"|(?=RPC: ))"
)
_REST: Final = r"[^\n]{0,200}$"
_PROGRAMS: Final = ("rpcinfo", "showmount", "mount", "mount_nfs", "mount.nfs", "mount.nfs4")
_EXPORT = re.compile(r"([\w.-]{1,253}|\[[0-9a-fA-F:]{2,45}\]):/")


def _host(section: OpenSection) -> str | None:
    """The host that the command above asked."""
    command = section.command
    if command is None or command.program not in _PROGRAMS:
        return None
    if command.program.startswith("mount"):
        return next((found[1] for word in command.args if (found := _EXPORT.match(word)) is not None), None)
    words = [word for word in command.args if not word.startswith("-")]
    return next((word for word in words if not word.isdigit()), None)


def _put(section: OpenSection, line: Line, kind: str, about: str | None) -> None:
    text = line.text.strip()[:400]
    section.add(Event, line.number, source="rpc", kind=kind, about=about, weight="trouble", text=text)


def _silent(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    _put(section, line, "rpc-no-answer", match["of"] or _host(section))


def _missing(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    host = match.groupdict().get("of") or _host(section)
    _put(section, line, "rpc-service-missing", f"{match['missing']} on {host}" if host else match["missing"])


_ROWS: Final = Rows(
    Row("service that is missing", rf"{_HEADS}{_MISSING}{_REST}", _missing),
    Row("host that does not answer", rf"{_HEADS}{_SILENT}{_REST}", _silent),
    Row(
        "version that is missing",
        r"(?P<missing>program \d{1,9}(?: version \d{1,4})?) is not available$",
        _missing,
        opens=False,
    ),
)


@parser("rpc_errors", version=1, product="", rows=_ROWS, commands=("rpcinfo", "showmount", "mount_nfs"))
def rpc_errors(section: OpenSection, out: Output) -> None:
    """Calls that were not answered."""
    _ROWS.read(section, out, "no call that was not answered")
