"""What commands of Spectrum Scale say of themselves: errors of any ``mm...`` command, nodes that ``mmdsh`` did not
reach, ``mmfsck`` and ``mmrestripefs``.

    mmgetstate: [E] The command was unable to reach the CCR service on the majority of quorum nodes to form CCR quorum.
    mmlsdisk: 6027-1388 File system fs1 is not known to the GPFS cluster.
    mmdsh: lund03 remote shell process had return code 255.
    lund03:  ssh: connect to host lund03 port 22: No route to host

    File system contains unrepaired damage.
    Exit status 8:0:8.

Yields ``Event`` by the catalogue of the daemon's messages, and ``ClusterMember`` for nodes without an answer. Progress
is everyday, unless the same share of the same files is printed for half an hour. Times of progress only. Tolerated: no
code, no letter. Source: IBM Storage Scale documentation, the commands named.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from parsers.formats.host.logs.kernel_log_kinds import UNLISTED
from parsers.formats.scale.logs.log_kinds import meaning_of
from parsers.formats.scale.tables.tables_state import file_system_named
from parsers.ledger import Fate
from parsers.messages.catalogue import sounding
from parsers.records import Counter, Event
from parsers.records.states import NOT_ANSWERED, ClusterMember, HealthState
from parsers.registry import parser
from parsers.sections.message_events import add_message
from parsers.tables.rows import Row, Rows
from parsers.times.clock import find_instant

if TYPE_CHECKING:
    from parsers.output import Output
    from parsers.sections.open_section import OpenSection
    from parsers.text import Line

_NAME: Final = r"[A-Za-z0-9][\w.-]{0,252}"
_COMMAND: Final = r"(?:mm[a-z]{2,24}(?: [a-z]{2,24}){0,3}|ts[a-z]{2,24})"
TEXT_KEPT: Final = 400
_STILL_US: Final = 30 * 60 * 1_000_000
"""A run that moves tells of its progress every few seconds to minutes."""
_DONE: Final = 100
_CAUSES: Final = (
    (re.compile(r"No space left on device|not enough free disk blocks"), ("restripe-no-room", "trouble")),
    (re.compile(r"Input/output error|I/O error|Error accessing disks"), ("restripe-io-error", "disaster")),
)
"""Why data could not be moved."""
_WHY: Final = re.compile(
    r"(?:No such device(?: or address)?|Device or resource busy|Input/output error|Permission denied"
    r"|Error accessing disks|No space left on device)\.?"
)
_SHELL_FAILED: Final = "255"


def _event(
    section: OpenSection, line: Line, kind: str, weight: str, about: str | None = None, node: str | None = None
) -> None:
    section.add(
        Event,
        line.number,
        node=node or section.node,
        source="command",
        kind=kind,
        about=about,
        weight=weight,
        text=line.text.strip()[:TEXT_KEPT],
    )


def _error(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    code = f"{found['code']} " if found["code"] else ""
    letter = found["letter"] or ""
    meaning = meaning_of(letter, f"{code}{found['text']}")
    is_denied = meaning is not None and meaning.weight == "everyday" and sounding(found["text"]) != ""
    if meaning is not None and not is_denied:
        add_message(section, line.number, meaning, source="command", text=line.text.strip())
    else:  # what fails in words that nobody knows is for people to look at: no all-clear stands over it
        kind = UNLISTED if sounding(found["text"]) else "command-message"
        _event(section, line, kind, "notice")


def _not_reached(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    section.add(
        ClusterMember,
        line.number,
        source="mmdsh",
        member=found["node"],
        layer="daemon",
        state=NOT_ANSWERED[1],
        standing="unknown",
    )
    _event(section, line, "node-unreached", "trouble", found["node"])


def _ended(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    """A remote shell that fails itself ends with 255; any other code is that of the command, which did run there."""
    if found["code"] == _SHELL_FAILED:
        _not_reached(section, line, found)
    else:
        _event(section, line, "remote-command-failed", "notice", found["node"])


def _damage(section: OpenSection, line: Line, _found: re.Match[str]) -> None:
    _event(section, line, "fsck-damage", "disaster", section.state.get("checked"))


def _clean(section: OpenSection, line: Line, _found: re.Match[str]) -> None:
    what = f"file system {section.state.get('checked', '')}".strip()
    section.add(HealthState, line.number, source="mmfsck", component=what, state="clean", standing="healthy")


def _all_up(section: OpenSection, line: Line, _found: re.Match[str]) -> None:
    what = f"all disks of {file_system_named(section) or 'the file system'}"
    section.add(HealthState, line.number, source="mmlsdisk", component=what, state="up and ready", standing="healthy")


def _built(section: OpenSection, line: Line, _found: re.Match[str]) -> None:
    what = "portability layer of the kernel"
    section.add(HealthState, line.number, source="mmbuildgpl", component=what, state="built", standing="healthy")


def _failed_move(section: OpenSection, line: Line, _found: re.Match[str]) -> None:
    """The cause stands in the line itself, or alone in the next one."""
    words, below = line.text, section.peek()
    if below is not None and _WHY.fullmatch(below.text.strip()):
        section.beyond()
        words += f" {below.text}"
    kind, weight = next((kind for cause, kind in _CAUSES if cause.search(words)), ("restripe-failed", "trouble"))
    _event(section, line, kind, weight, file_system_named(section))


def _scan_of_files(section: OpenSection, _line: Line, _found: re.Match[str]) -> None:
    section.state["scans_files"] = True


def _scanned(section: OpenSection, line: Line, _found: re.Match[str]) -> None:
    """The scan of the files is the last one: what the command moves or repairs is done with its end."""
    if section.state.pop("scans_files", False):
        what = f"scan of {file_system_named(section) or 'the file system'}"
        section.add(HealthState, line.number, source="mmrestripefs", component=what, state="done", standing="healthy")


def _progress(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    """The same share of the same files, long after it was reached: what moves them stands still."""
    instant = find_instant(found["rest"]) if found["rest"] else None
    if instant is None:
        return
    section.stamp(instant[0])
    reached = (found["share"], " ".join(found["rest"][instant[2] :].split()))
    kept: tuple[tuple[str, str], int, bool] | None = section.state.get("reached")
    if kept is None or kept[0] != reached:
        section.state["reached"] = (reached, instant[0].us, False)
    elif not kept[2] and float(found["share"]) < _DONE and instant[0].us - kept[1] >= _STILL_US:
        section.state["reached"] = (*kept[:2], True)
        section.add(
            Event,
            line.number,
            at=instant[0].us,
            zone_min=instant[0].zone_min,
            source="command",
            kind="restripe-stands",
            about=file_system_named(section),
            value=(instant[0].us - kept[1]) / 1e6,
            unit="s",
            weight="trouble",
            text=line.text.strip()[:TEXT_KEPT],
        )


def _made(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    what = f"file system {found['fs']}"
    section.add(HealthState, line.number, source="mmcrfs", component=what, state="made", standing="healthy")


def _failed(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    if found["command"] == "mmbuildgpl":  # without that layer the daemon does not start
        _event(section, line, "portability-layer-failed", "trouble")
    else:
        _event(section, line, "command-failed", "notice", found["command"])


def _failure(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    """A sentence without a code in front, as the catalogue knows it."""
    meaning = meaning_of("E", found["text"])
    if meaning is not None:
        about = meaning.about or file_system_named(section)
        _event(
            section,
            line,
            meaning.kind,
            meaning.weight,
            about,
            found.groupdict().get("at") or meaning.on or section.node,
        )


def _no_mount(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    _event(section, line, "mount-failed", "trouble", found["fs"], found["at"])


def _refused(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    _event(section, line, "not-authorised", "trouble", found["cluster"], found["at"])


def _put_of_file_system(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    """A sentence behind the name of the file system that it speaks of."""
    meaning = meaning_of("E", found["text"])
    if meaning is not None:
        _event(section, line, meaning.kind, meaning.weight, line.text.strip().partition(":")[0])


def _checked(section: OpenSection, _line: Line, found: re.Match[str]) -> None:
    section.state["checked"] = found["fs"]


def _tally(section: OpenSection, line: Line, found: re.Match[str]) -> None:
    section.add(
        Counter,
        line.number,
        scope=section.state.get("checked"),
        source="mmfsck",
        name=found["name"],
        kind="gauge",
        value=float(found["value"]),
        sample=line.number,
    )


_ROWS: Final = Rows(
    Row(
        "node without an answer",
        rf"mmdsh: (?:\d{{4}}-\d{{3,4}} )?(?P<node>{_NAME}) (?:remote shell|\S{{0,100}}[rs]sh) process had return code"
        r" (?P<code>(?!0\b)\d{1,4})\.?$",
        _ended,
    ),
    Row(
        "host without an answer",
        rf"(?:{_NAME}: {{1,4}})?ssh: connect to host (?P<node>{_NAME}) port \d{{1,5}}: [A-Z]",
        _not_reached,
        opens=False,
    ),
    Row(
        "host that pdsh could not reach",
        rf"(?:pdsh@{_NAME}: {{1,4}})?(?P<node>{_NAME}): {{1,4}}"
        r"(?:(?:ssh|rsh|mcmd) exited with exit code 255|(?:command|connect) (?:timeout|timed out))$",
        _not_reached,
    ),
    Row(
        "host that ansible could not reach",
        r"[^\n]{0,200}Failed to connect to the host via ssh: (?:[^\n]{0,200}?ssh: )?"
        rf"connect to host (?P<node>{_NAME}) port ",
        _not_reached,
    ),
    Row(
        "repository without quorum",
        r"(?:gpfsClusterInit|mm[a-z]{2,24}|ccr)?(?:: )?(?P<text>(?:get file failed: |put file failed: )?"
        r"(?:Not enough CCR quorum nodes available|Unexpected error from ccr )[^\n]{0,300})$",
        _failure,
    ),
    Row("management interface", r"(?P<text>EFSSG\d{4}C [^\n]{5,600})$", _failure),
    Row(
        "disk that can't be opened",
        rf"(?P<text>Unable to open disk '?{_NAME}'?(?: on node {_NAME})?\b[^\n]{{0,200}})$",
        _failure,
    ),
    Row(
        "why, below it",
        r"(?:No such device(?: or address)?|Device or resource busy|Input/output error|Permission denied"
        r"|Error accessing disks)\.?$",
        fate=Fate.EVERYDAY,
        opens=False,
    ),
    Row(
        "steps of a snapshot",
        r"(?:Flushing dirty data for snapshot|Quiescing all file system operations"
        r"|(?:Invalidating snapshot files in|Deleting files in snapshot) :|Snapshot \S{1,256} created with id \d"
        r"|Delete snapshot \S{1,256} successful\b)",
        fate=Fate.EVERYDAY,
    ),
    Row(
        "no quiesce",
        r"(?P<text>Unable to quiesce (?:all nodes|some nodes|the file system)\b[^\n]{0,200})$",
        _failure,
    ),
    Row(
        "no kernel extension",
        rf"(?:(?P<at>{_NAME}): {{1,4}})?mmremote: (?:startSubsys|installSubsys|runmmfs): (?P<text>[^\n]{{5,400}})$",
        _failure,
    ),
    Row(
        "mount that failed",
        rf"(?:(?P<at>{_NAME}): {{1,4}})?(?:mm)?mount(?:\.gpfs)?: (?P<fs>/?{_NAME}): "
        r"(?:mount failed: |(?:can't|cannot|could not be|failed to) mount(?:ed)?\b)[^\n]{0,200}$",
        _no_mount,
    ),
    Row(
        "remote cluster that refuses",
        rf"(?:(?P<at>{_NAME}): {{1,4}})?(?:mm)?mount(?:\.gpfs)?: [Tt]he remote cluster "
        r"'?(?P<cluster>[\w.-]{1,200}?)'? has denied access\b[^\n]{0,200}$",
        _refused,
    ),
    Row(
        "daemon that takes no commands",
        rf"(?:(?P<at>{_NAME}): {{1,4}})?mm[a-z]{{2,24}}: (?P<text>(?:GPFS|The daemon) is not ready [^\n]{{5,200}})$",
        _failure,
    ),
    Row(
        "script that waits",
        rf"(?:(?P<at>{_NAME}): {{1,4}})?runmmfs: (?P<text>GPFS is waiting for [^\n]{{2,200}})$",
        _failure,
    ),
    Row(
        "quota",
        rf"{_NAME}: (?P<text>(?:Q|q)uota management (?:has been enabled but|is not enabled, or) [^\n]{{5,300}})$",
        _put_of_file_system,
    ),
    Row(
        "count of quotas that ended",
        rf"(?!mm[a-z]{{2,24}}:){_NAME}: "
        r"(?P<text>Quota check (?:(?:was )?terminated prematurely|failed|aborted)\b[^\n]{0,200})$",
        _put_of_file_system,
    ),
    Row(
        "steps of a count of quotas",
        rf"{_NAME}: (?:Start quota check|Quota check completed\b[^\n]{{0,80}})$",
        fate=Fate.EVERYDAY,
    ),
    Row(
        "steps of a shutdown",
        rf"(?:{_NAME}: {{1,4}})?(?:forced unmount of /\S{{1,200}}$|Shutting down!$"
        r"|'shutdown' command about to kill process|Unloading module[s ])",
        fate=Fate.EVERYDAY,
    ),
    Row(
        "directory of the dumps",
        rf"(?:{_NAME}: {{1,4}})?/\S{{1,100}} has been created successfully",
        fate=Fate.EVERYDAY,
    ),
    Row("daemon that runs already", rf"(?:{_NAME}: {{1,4}})?The GPFS subsystem is already active", fate=Fate.EVERYDAY),
    Row(
        "search for disks",
        rf"(?:{_NAME}: {{1,4}})?mmnsddiscover: {{1,4}}(?:Attempting to rediscover the disks|Finished\b)"
        rf"|{_NAME}: {{1,4}}Rediscovered nsd server access to \S|Initial disk state was updated successfully",
        fate=Fate.EVERYDAY,
    ),
    Row(
        "steps of a build",
        r"mmbuildgpl: (?:\[[A-Z]\] )?Building GPL\b[^\n]{0,60} (?:begins|started) at "
        r"|Verifying (?:Kernel Header|Compiler|Additional System Headers|kernel-headers|that tools)\b"
        r"|(?:kernel version|module (?:include|build) dir|kernel source dir) {1,8}= "
        r"|(?:make|cpp|gcc|g\+\+|ld) is present at /"
        r"|Found valid kernel header file |The required package \S{1,80} is installed|Command: /\S{0,40}/(?:rpm|dpkg)\b"
        r"|make (?:World|InstallImages|Autoconfig)\b|-{50,100}$",
        fate=Fate.EVERYDAY,
        opens=False,
    ),
    Row(
        "steps of making disks and a file system",
        r"mm(?:cr|del|add)(?:nsd|disk): Processing disk \S{1,200}$|The following disks of \S{1,200} will be formatted\b"
        r"|Formatting (?:file system|Allocation Map for storage pool)\b"
        r"|Disks up to size [\d.]{1,12} [KMGTP]?B can be added"
        r"|(?:Creating|Clearing) (?:Inode File|Allocation Maps|Log Files|(?:Inode|Block) Allocation Map)$",
        fate=Fate.EVERYDAY,
    ),
    Row("disk and its size", rf"{_NAME}: size \d{{1,18}} [KMGTP]?B$", fate=Fate.EVERYDAY, opens=False),
    Row("end of making a file system", r"Completed creation of file system (?:/dev/)?(?P<fs>[\w.-]{1,255})\.?$", _made),
    Row("end of a build", r"mmbuildgpl: Building GPL\b[^\n]{0,60} completed successfully\b", _built),
    Row("all disks", r"(?:mmlsdisk: )?(?:6027-623 )?(?:\[I\] )?All disks (?:are )?up and ready\.?$", _all_up),
    Row(
        "end without success",
        rf"(?P<command>{_COMMAND}): (?:6027-1639 )?(?:\[[A-Z]\] )?Command failed\b",
        _failed,
    ),
    Row(
        "end",
        rf"{_COMMAND}: (?:\[[A-Z]\] )?(?:Command successfully completed|Propagating the)|ts[a-z]{{2,20}} completed\.?$"
        r"|affected nodes\. {1,4}This is an asynchronous process",
        fate=Fate.EVERYDAY,
    ),
    Row(
        "progress of a mount",
        rf"[A-Z][a-z]{{2}} [A-Z][a-z]{{2}} {{1,2}}\d{{1,2}} \d\d:\d\d:\d\d [A-Z]{{2,5}} \d{{4}}: {_COMMAND}: [A-Z]",
        fate=Fate.EVERYDAY,
    ),
    Row(
        "node that a command could not reach",
        rf"{_COMMAND}: (?:\d{{4}}-\d{{3,4}} )?(?:\[[A-Z]\] )?(?:(?i:node|host) )?(?P<node>{_NAME})"
        r" (?:cannot|could not|can't) be (?:reached|contacted)\b",
        _not_reached,
    ),
    Row(
        "error",
        rf"(?:{_COMMAND}|u?mount(?=: 6027-)): (?:(?P<code>6027-\d{{3,4}}) )?"
        r"(?:\[(?P<letter>[A-Z])\] )?(?P<text>(?:[A-Z\"']"
        rf"|{_COMMAND} command )[^\n]{{5,2000}})$",
        _error,
    ),
    Row("check", r"Checking \"(?P<fs>[^\"\s]{1,200})\"$", _checked, Fate.FRAME),
    Row(
        "progress",
        r"[Ff]sckFlags |NeedNewLogs \d|(?:Checking|Validat(?:ing|ed)) [A-Za-z][A-Za-z ]{2,60}$",
        fate=Fate.EVERYDAY,
        opens=False,
    ),
    Row(
        "damage",
        r"(?:File system contains unrepaired damage|Error in inode \d|Corrupt (?:inode|directory|block) entries"
        r"|Lost blocks were found)",
        _damage,
    ),
    Row(
        "failed move",
        r"(?:Error (?:migrating|reading|writing|moving|rebalancing|restriping|processing) [a-z]"
        r"|There are not enough free disk blocks"
        r"|(?:\[E\] )?(?:No space left on device|Some disks could not be accessed))",
        _failed_move,
        opens=False,
    ),
    Row(
        "copies that differ",
        r"(?P<text>Inode \d{1,20} ?(?:\[[^\]\n]{1,80}\] ?)?ha(?:s|ve) (?:a )?mismatch[^\n]{3,300})$",
        _failure,
    ),
    Row("clean", r"File system is clean\b", _clean),
    Row("in order", r"Exit status \d{1,3}:\d{1,3}:\d|Stripe group manager on", fate=Fate.EVERYDAY),
    Row(
        "tally",
        r"(?P<value>\d{1,18}) {1,8}(?P<name>[a-z][A-Za-z]{2,20}(?: [A-Za-z]{2,20}){0,3})$",
        _tally,
        opens=False,
    ),
    Row(
        "scan that did not end well",
        r"Scan (?:completed with (?!no |0 |out)|did not complete|failed|aborted|terminated|stopped|interrupted)",
        _failed_move,
    ),
    Row("scan of files", r"Scanning user file metadata", _scan_of_files, Fate.EVERYDAY),
    Row("end of a scan", r"Scan completed successfully", _scanned, Fate.EVERYDAY),
    Row(
        "progress of a scan",
        r"(?:Deleting|Adding|Replacing) disks\b[ .]{0,8}$|Scanning [a-z][a-z ]{2,60}(?:, phase \d{1,2})?"
        r"(?: \.\.\.)?$|(?P<share>\d{1,3}(?:\.\d{1,2})?) {1,4}% complete on (?P<rest>[^\n]{10,200})$"
        r"|Scanning file system metadata for [^\n]{1,80} storage pool$",
        _progress,
        Fate.EVERYDAY,
    ),
)


@parser(
    "scale_commands",
    version=10,
    product="spectrum-scale",
    rows=_ROWS,
    commands=(
        "mmdsh",
        "mmmount",
        "mmumount",
        "mmfsck",
        "mmrestripefs",
        "mmchdisk",
        "mmstartup",
        "mmshutdown",
        "mmdeldisk",
        "mmadddisk",
        "mmrpldisk",
        "mmcrsnapshot",
        "mmdelsnapshot",
        "mmchfs",
        "mmcrfs",
        "mmcrnsd",
        "mmdelnsd",
        "mmbuildgpl",
    ),
    places=r"\bmm(?:dsh|fsck|restripefs)\b",
    priority=-1,
)
def scale_commands(section: OpenSection, out: Output) -> None:
    """What commands say when they fail."""
    _ROWS.read(section, out, "a line of a command that nobody knows")
