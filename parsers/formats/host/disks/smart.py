"""``smartctl``: what a disk says of its own health, of ATA, SCSI and NVMe.

    smartctl -H -A /dev/sdk
    SMART overall-health self-assessment test result: PASSED
      5 Reallocated_Sector_Ct   0x0033   100   100   036    Pre-fail  Always       -       0
    SMART Health Status: OK                                Elements in grown defect list: 0
    Critical Warning:                   0x00               Media and Data Integrity Errors:    0
    Error 16 occurred at disk power-on lifetime: 9377 hours           40 51 c0 b0 92 94 40  Error: UNC at LBA = 0x9492b0
    # 1  Short offline       Completed: read failure       90%      9377         9736880

Yields ``StorageState`` of the disk: degraded where its own verdict is bad, an attribute is failing now, NVMe warns or
media errors were counted, sectors are pending or lost or many were replaced, a self test ended with a failure, or its
log shows a block that it could not read; a hint where few were replaced or its log holds other errors; ``Counter`` of
each attribute and count; other values are ``Setting`` with the disk as scope. The disk is that of the command, else its
serial number. ``nvme smart-log`` is read in the same way. Source: smartctl(8), nvme-smart-log(1), recalled.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.ledger import Fate
from parsers.output import Output
from parsers.records import Counter, Setting
from parsers.records.states import StorageStanding, StorageState
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.rows import Row, Rows
from parsers.text import Line

_TOOL: Final = "smartctl"
_GOOD: Final = frozenset(("PASSED", "OK"))
_LOST_SECTORS: Final = frozenset(("Current_Pending_Sector", "Offline_Uncorrectable"))
_REALLOCATED: Final = "Reallocated_Sector_Ct"
_GROWN: Final = "Elements in grown defect list"
_WORN_SECTORS: Final = 100
"""Sectors that were replaced, from which on a disk is about to fail; a few are what the spare ones are for."""


def standing_of_sectors(name: str, count: int) -> StorageStanding:
    """How a disk stands by the sectors that it could not read or that it replaced."""
    if name in _LOST_SECTORS:
        return "degraded" if count else "healthy"
    if name != _REALLOCATED or not count:
        return "healthy"
    return "degraded" if count >= _WORN_SECTORS else "hint"


def _disk(section: OpenSection) -> str | None:
    command = section.command
    if command is not None and command.program == _TOOL:
        named = next((word for word in reversed(command.args) if word.startswith("/dev/")), None)
        if named is not None:
            return named.removeprefix("/dev/")
    serial: str | None = section.state.get("serial")
    return serial


def _state(section: OpenSection, line: Line, state: str, standing: StorageStanding) -> None:
    section.add(
        StorageState, line.number, source=_TOOL, sort="disk", name=_disk(section), state=state, standing=standing
    )


def _count(section: OpenSection, line: Line, name: str, value: str, unit: str = "") -> None:
    section.add(
        Counter,
        line.number,
        scope=_disk(section),
        source=_TOOL,
        name=name,
        kind="cumulative",
        unit=unit,
        value=float(value.replace(",", "")),
        sample=line.number,
    )


def _verdict(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    verdict = match["said"].strip()
    if verdict.rstrip("!") in _GOOD:
        _state(section, line, verdict, "healthy")
    else:
        _state(section, line, f"its own health test says \u201c{verdict.rstrip('!')}\u201d", "failing")


def _attribute(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    name, failed, value = match["name"], match["failed"], match["value"]
    _count(section, line, name, value)
    if failed.lower() in ("failing_now", "now"):
        _state(section, line, f"{name} fails now, value {value}", "degraded")
    elif (standing := standing_of_sectors(name, int(value))) != "healthy" or failed != "-":
        _state(section, line, f"{name} {value}", standing if standing != "healthy" else "hint")


def _shortened(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """An attribute as a script prints it, of which only the count tells."""
    name, value = match["name"], match["value"]
    _count(section, line, name, value)
    if (standing := standing_of_sectors(name, int(value))) != "healthy":
        _state(section, line, f"{name} {value}", standing)


def _figure(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    name, value = match["name"], match["value"]
    _count(section, line, name, value)
    if name == "Media and Data Integrity Errors" and value != "0":
        _state(section, line, f"{value} errors of its media", "degraded")
    elif name == _GROWN and int(value.replace(",", "")):
        _state(section, line, f"{name} {value}", standing_of_sectors(_REALLOCATED, int(value.replace(",", ""))))


def _warning(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    value = match["value"]
    if int(value, 16):
        is_failing = bool(int(value, 16) & _FAILING_BITS)
        _state(section, line, f"critical warning {value}", "failing" if is_failing else "degraded")
    else:
        _state(section, line, f"critical warning {value}", "healthy")


def _errors(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    lost = match["lost"]
    _count(section, line, f"{match['name']} uncorrected errors", lost)
    if int(lost):
        _state(section, line, f"{lost} {match['name']} errors that were not corrected", "degraded")


def _logged(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    count = match["count"]
    _count(section, line, "errors in its log", count)
    if int(count):
        _state(section, line, f"{count} errors in its own log", "hint")


def _command_failed(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """A block that the disk could not read; commands that it does not know fail too."""
    if match["what"].startswith(("UNC", "IDNF", "AMNF")):
        _state(section, line, f"its log shows {match['what'].strip()}", "degraded")


def _tested(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """A test of its own: the last one stands first."""
    how = match["how"].strip()
    if "failure" in how or "Failed" in how:
        number = int(match["number"])
        standing: StorageStanding = "failing" if number == 1 else "hint"
        _state(section, line, f"its self test {number} ended so: {how}", standing)
    else:
        section.add(
            Setting, line.number, scope=_disk(section), source=_TOOL, name=f"self test {match['number']}", value=how
        )


def _scanned(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """A block that a scan in the background met, with its number of all that it met."""
    if not match["how"].startswith(_WRITTEN_AGAIN):
        _state(section, line, f"its own scan met a block that can't be read ({match['how'].strip()})", "degraded")
    elif int(match["number"]) >= _MANY_SCANNED and not section.state.get("scanned"):
        section.state["scanned"] = True
        _state(section, line, f"its own scan met {match['number']} blocks that had to be written again", "degraded")
    else:
        section.add(
            Setting, line.number, scope=_disk(section), source=_TOOL, name=f"scan {match['number']}", value=match["how"]
        )


_WRITTEN_AGAIN: Final = ("Recovered via rewrite", "Reassigned by", "No status")
_MANY_SCANNED: Final = 20
"""Blocks from which on a disk is worn out (no published figure)."""


def _tested_in_pieces(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """A test of a JSON object that lost its beginning and its end: the last one stands first."""
    number = section.state["tests"] = section.state.get("tests", 0) + 1
    standing: StorageStanding = "failing" if number == 1 else "hint"
    _state(section, line, f"its self test {number} ended so: {match['how']}", standing)


_NVME: Final = "nvme smart-log"
_NVME_WARNS: Final = (
    "its spare blocks run out", "it is too hot or too cold", "it is no longer reliable", "it takes no more writes",
    "its backup of memory failed", "its memory region is unreliable",
)  # fmt: skip
"""The bits of the critical warning, the lowest first."""
_FAILING_BITS: Final = 0b1100
"""Those of a drive that is no longer reliable, or that takes no more writes."""


def _smart_log(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state["device"] = match["device"]


def _of_nvme(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    if match["value"] is None:
        return
    name, value = match["name"].strip().lower().replace(" ", "_"), match["value"].strip()
    device: str | None = section.state.get("device")
    section.add(Setting, line.number, scope=device, source=_NVME, name=name, value=value)
    number = _NUMBER.match(value.replace(",", ""))
    if number is None:
        return
    amount, state, standing = int(number[0], 0), f"{name} {value}", "healthy"
    if name == "critical_warning" and amount:
        words = [words for bit, words in enumerate(_NVME_WARNS) if amount >> bit & 1]
        state = f"critical warning {value}: {'; '.join(words) or 'unknown'}"
        standing = "failing" if amount & _FAILING_BITS else "degraded"
    elif name == "media_errors" and amount:
        state, standing = f"{value} errors of its media", "degraded"
    elif name == "percentage_used" and amount >= _WORN:
        state, standing = f"worn: {value} of its life is used", "hint"
    elif name not in ("critical_warning", "media_errors"):
        return
    section.add(
        StorageState, line.number, source=_NVME, sort="disk", name=device, state=state, standing=_STANDINGS[standing]
    )


_NUMBER: Final = re.compile(r"0x[0-9a-fA-F]{1,8}|\d{1,18}")
_WORN: Final = 100
_STANDINGS: Final[dict[str, StorageStanding]] = {
    "healthy": "healthy",
    "degraded": "degraded",
    "failing": "failing",
    "hint": "hint",
}
_SMART_LOG: Final = Rows(
    Row("head", r"Smart Log for NVME device:\s?(?P<device>\w{4,20})\b", _smart_log, fate=Fate.FRAME),
    Row(
        "value",
        r"(?P<name>critical_warning|temperature|available_spare(?:_threshold)?|percentage_used"
        r"|endurance group critical warning summary|[Dd]ata[ _][Uu]nits[ _](?:[Rr]ead|[Ww]ritten)"
        r"|host_(?:read|write)_commands|controller_busy_time|power_cycles|power_on_hours|unsafe_shutdowns|media_errors"
        r"|num_err_log_entries|(?:Warning|Critical) (?:Composite )?Temperature Time|Temperature Sensor \d"
        r"|Thermal (?:Management|Temp\.?)[\w .]{1,40}|Available Spare|Unsafe Shutdowns)"
        r"\s{0,40}:\s{0,20}(?P<value>\S.{0,80})?$",
        _of_nvme,
        opens=False,
    ),
)


@parser("nvme_smart_log", version=2, product="storage", rows=_SMART_LOG, commands=("nvme",))
def nvme_smart_log(section: OpenSection, out: Output) -> None:
    """``nvme smart-log``: what an NVMe drive says of its own health."""
    _SMART_LOG.read(section, out, "no value of a drive")


def _value(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    name, value = match["name"], match["value"].strip()
    if name.lower() == "serial number":
        section.state["serial"] = value
    section.add(Setting, line.number, scope=_disk(section), source=_TOOL, name=name, value=value)


_NAMES: Final = (
    r"Model Family|Device Model|Model Number|Serial [Nn]umber|LU WWN Device Id|Firmware Version|User Capacity"
    r"|Sector Sizes?|Rotation Rate|Form Factor|ATA Version is|SATA Version is|Local Time is|SMART support is|Vendor"
    r"|Product|Revision|Compliance|Logical block size|Physical block size|Logical Unit id|Device type"
    r"|Transport protocol|Temperature Warning|Current Drive Temperature|Drive Trip Temperature|Temperature"
    r"|Available Spare(?: Threshold)?|Percentage Used|Data Units (?:Read|Written)|Device is|TRIM Command"
)
_FIGURES: Final = (
    r"Elements in grown defect list|Non-medium error count|Media and Data Integrity Errors"
    r"|Error Information Log Entries|Unsafe Shutdowns|Power Cycles|Power On Hours|Host (?:Read|Write) Commands"
    r"|Controller Busy Time|(?:Warning|Critical) Comp\. Temperature Time"
)
_MORE: Final = r"[A-Za-z]{2,25}(?:[ /:-]{1,2}[A-Za-z-]{1,24}){0,9}\.?$"
"""The words of an ability, far to the right."""
_FAR: Final = ("\t\t", " " * 16)
_NEAR: Final = (
    Row("release", r"smartctl \d{1,2}\.\d{1,2} \d{4}-\d\d-\d\d ", fate=Fate.FRAME),
    Row("owner", r"Copyright \(C\) .{0,80}smartmontools", fate=Fate.FRAME, opens=False),
    Row("part", r"=== START OF .{3,60} ===", fate=Fate.FRAME),
    Row(
        "verdict",
        r"SMART (?:overall-health self-assessment test result|Health Status): (?P<said>\S.{0,150})$",
        _verdict,
    ),
    Row("urgent", r"(?:Drive failure expected in less than|Failed Attributes:$)", fate=Fate.FRAME, opens=False),
    Row("heading", r"ID# ATTRIBUTE_NAME\s", fate=Fate.FRAME),
    Row(
        "attribute",
        r"\d{1,3} (?P<name>[A-Za-z][\w/()-]{2,40})\s{1,40}(?:0x[0-9a-f]{4}|[A-Z-]{6,7})\s{1,12}\d{1,3}\s{1,8}\d{1,3}"
        r"\s{1,8}(?:\d{1,3}|---)\s{1,12}(?:(?:Pre-fail|Old_age)\s{1,12}(?:Always|Offline)\s{1,12})?"
        r"(?P<failed>-|FAILING_NOW|In_the_past|NOW|Past)\s{1,20}(?P<value>\d{1,18})(?:\D.{0,80})?$",
        _attribute,
    ),
    Row(
        "attribute of a script",
        r"(?:[-*\u2022] )?(?:\d{1,3} )?"
        r"(?P<name>(?:Reallocated|Current_Pending|Offline_Uncorrectable|Reported_Uncorrect|UDMA_CRC|Power_On|Power_Cycle|Spin_Retry|Command_Timeout|Load_Cycle|Start_Stop|Seek_Error|Raw_Read|Temperature_C)\w{0,24})"
        r"[:,]?\s{1,80}(?:[a-z_]{3,10}=\d{1,3},?\s{1,40}){0,4}raw(?:_value)?[=:]\s?(?P<value>\d{1,18})(?:\D.{0,80})?$",
        _shortened,
    ),
    Row("warning", r"Critical Warning:\s{1,40}(?P<value>0x[0-9a-fA-F]{2})", _warning),
    Row("figure", rf"(?P<name>{_FIGURES}):\s{{1,40}}(?P<value>\d[\d,]{{0,18}})", _figure, opens=False),
    Row(
        "errors",
        r"(?P<name>read|write|verify):\s{1,20}(?:\d{1,18}\s{1,20}){5}[\d.]{1,20}\s{1,20}(?P<lost>\d{1,18})$",
        _errors,
        opens=False,
    ),
    Row(
        "errors logged",
        r"(?:ATA Error Count|Device Error Count): (?P<count>\d{1,6})\b",
        _logged,
    ),
    Row(
        "wear of a drive",
        r"(?:Accumulated|Specified) (?:start-stop|load-unload|cycle)[a-z -]{3,60}:\s{1,20}\d|Manufactured in week \d",
        fate=Fate.EVERYDAY,
        opens=False,
    ),
    Row("no errors", r"No Errors? Logged$", fate=Fate.FRAME, opens=False),
    Row(
        "error",
        r"(?:[0-9a-f-]{2}\s{1,8}){5,14}[0-9a-f]{2}\s{1,20}"
        r"Error: (?P<what>[A-Z]{2,6}(?:,? [A-Z]{2,6}){0,4}(?: .{1,80})?)$",
        _command_failed,
    ),
    Row("failed command", r"Error \d{1,6}(?: \[\d{1,4}\])? occurred at disk power-on lifetime: \d", fate=Fate.FRAME),
    Row(
        "registers",
        r"(?:(?:(?:[0-9a-f-]{2}|[A-Z]{2}|==|COUNT|LBA_48|FEATR)\s{1,8}){4,16}|[A-Z]{2} = .{3,40}\[HEX\]"
        r"|When the command that caused the error|After command completion occurred|Commands leading to the command"
        r"|Powered_Up_Time is measured|DDd\+hh:mm:SS|SS=sec, and sss)",
        fate=Fate.FRAME,
        opens=False,
    ),
    Row(
        "self test",
        r"(?:#\s{0,8})?(?P<number>\d{1,2})\s{1,12}(?:Short|Extended|Conveyance|Selective|Vendor|Background|Foreground)\b"
        r".{3,40}?\s"
        r"(?P<how>(?:Completed|Aborted|Interrupted|Fatal|Unknown|Failed|Self[- ]test)[A-Za-z':,./ ()-]{0,60}?)"
        r"\s{1,40}(?:\d{1,3}%|-|\d{1,3})\s{1,40}\d{1,8}\s{1,40}\S",
        _tested,
    ),
    Row(
        "block of a scan",
        r"(?P<number>\d{1,6})\s{1,8}\d{1,8}:\d\d\s{1,8}[0-9a-f]{16}\s{1,8}\[[0-9a-f],[0-9a-f]{1,2},[0-9a-f]{1,2}\]\s{1,8}"
        r"(?P<how>[A-Z][a-z]{2,20} \S.{2,80})$",
        _scanned,
    ),
    Row(
        "scan",
        r"Background scan results log|Status: (?:waiting until BMS|scan is active|halted|pre-scan)"
        r"|Accumulated power on time|Number of background (?:scans|medium scans) performed|#  when\s{1,12}lba\(hex\)",
        fate=Fate.FRAME,
        opens=False,
    ),
    Row(
        "self test of a cut object",
        r'"string": "(?P<how>(?:Completed: (?:read|electrical|servo/seek|unknown|handling damage\\?\\?) ?(?:failure)?'
        r"|Fatal or unknown error|Completed: handling damage)[^\"]{0,60})\",?$",
        _tested_in_pieces,
    ),
    Row(
        "part",
        r"(?:General SMART Values:|SMART Attributes Data Structure|Vendor Specific SMART|SMART Error Log Version: \d"
        r"|SMART (?:Extended )?Self-test [Ll]og|SMART Selective self-test|Selective self-test flags|SCT capabilities:"
        r"|Num\s{1,20}Test_Description)",
        fate=Fate.FRAME,
    ),
    Row(
        "ability",
        r"(?:Offline data collection(?:$| status:)|Self-test execution status:|Total time to complete Offline"
        r"|data collection:|(?:SMART )?capabilities:|Error logging capability:"
        r"|(?:Short|Extended|Conveyance|Selective) self-test routine|recommended polling time:"
        r"|SPAN\s{1,20}MIN_LBA|\d{1,3}\s{1,12}\d{1,20}\s{1,12}\d{1,20}\s{1,4}[A-Z][a-z_]{4,30}"
        r"|After scanning selected spans|If Selective self-test is)",
        fate=Fate.FRAME,
        opens=False,
    ),
    Row("value", rf"(?P<name>{_NAMES}):\s{{1,40}}(?P<value>\S.{{0,120}})$", _value, opens=False),
)
_SMART: Final = Rows(*_NEAR, Row("more words", _MORE, fate=Fate.FRAME, opens=False))
_BEGUN: Final = Rows(*_NEAR)


def _owns(text: str, before: str) -> bool:
    return (_SMART if text.startswith(_FAR) else _BEGUN).owns(text, before)


@parser("smartctl", version=4, product="storage", claims=_SMART.claims, owns=_owns, commands=(_TOOL,))
def smartctl(section: OpenSection, out: Output) -> None:
    """``smartctl -a``, ``-H`` and ``-A``."""
    _SMART.read(section, out, "no value of a disk")
