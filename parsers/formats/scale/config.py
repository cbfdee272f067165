"""Settings of Spectrum Scale: ``mmlsconfig``, ``mmdiag --config``, ``mmfsadm dump config``, and what ``mmchconfig``
confirms.

    Configuration data for cluster lund.lab:          === mmdiag: config ===
    ----------------------------------------           ! pagepool 17179869184
    pagepool 16G                                      # aioSyncDelay 10 (implicit via dioSmallSeqWriteBatching)
    [lund03,lund04]                                   deadlockDetectionThreshold 300
    pagepool 32G
    [common]                                          # mmlsconfig pagepool
    tiebreakerDisks nsd1;nsd2                         pagepool 16G
    File systems in cluster lund.lab:                 pagepool 32G [lund03,lund04]

    [root@lund01 ~]# mmchconfig dioSmallSeqWriteBatching=yes -i
    mmchconfig: Command successfully completed
    lund09.lab: Unknown config name: dioSmallSeqWriteBatching

Yields ``Setting``: name and value as printed; ``scope`` is the bracket above or behind it (None: the whole cluster, or
the node asked); ``mark`` the sign in front of the name (``!``: set in the configuration), ``note`` the remark behind
the value; ``set_here`` what a command set and the tool confirmed. A node that does not know a name: ``Event`` of kind
``unknown-config-name``. No times. Names are recognised by their families or, below a command that prints settings, by
their form. Tolerated: remarks behind ``#``, single rows. Source: IBM Storage Scale documentation, the commands named;
releases 3.5 to 5.2.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.headings.transcript import Command
from parsers.line_kinds import is_prose
from parsers.output import Output
from parsers.records import Event, Setting
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.text import Line

_FAMILIES: Final = (
    r"(?:afm|aio|ccr|ces|cnfs|deadlock|dio|dmapi|expel|fileHeat|lease|linux|lroc|mmap|nsd|pagepool|pit"
    r"|prefetch|proactive|restripe|statCache|statDir|stealth|tie|token|tsc|verbs|worker"
    r"|writebehind)[A-Z0-9]\w{1,60}"
)
_PLAIN_NAMES: Final = (
    r"(?:pagepool|autoload|autoBuildGPL|automountdir|adminMode|assertOnStructureError"
    r"|atimeDeferredSeconds|cipherList|clusterId|clusterName|dataStructureDump|defaultMountDir|disableDIO"
    r"|enforceFilesetQuotaOnRoot|envVar|failureDetectionTime|flushedDataTarget"
    r"|frequentLeaveCountThreshold|ignorePrefetchLUNCount|logBufferCount|logWrapThreads"
    r"|maxAllocRegionsPerNode|maxBufferDescs|maxFilesToCache|maxGeneralThreads|maxInodeDeallocPrefetch"
    r"|maxMBpS|maxMissedPingTimeout|maxReceiverThreads|maxStatCache|maxTcpConnsPerNodeConn|maxblocksize"
    r"|metadataDiskWaitTimeForRecovery|minMissedPingTimeout|minQuorumNodes|minReleaseLevel"
    r"|noSpaceEventInterval|nsdbufspace|numaMemoryInterleave|opensslLibName|priority|profile"
    r"|quotasEnforced|readReplicaPolicy|release|rdmaSetup|scatterBuffers|scatterBufferSize"
    r"|seqDiscardThreshold|sharedMemLimit|sidAutoMapRangeLength|singleNodeQuorum"
    r"|socketMaxListenConnections|socketRcvBufferSize|socketSndBufferSize|subnets|syncBuffsPerIteration"
    r"|syncSambaMetadataOps|systemLogLevel|uidDomain|unmountOnDiskFail|usePersistentReserve"
    r"|worker[13]Threads|workerThreads)"
)
_KNOWN: Final = rf"(?:{_FAMILIES}|{_PLAIN_NAMES})"
_VALUE: Final = r"(?:-?\d{1,20}[KMGTkmgt]?|[A-Za-z_/<.*“\"'\[(][^\s=]{0,200}|\d[\w.,:;/@%-]{1,200})"
_MARK: Final = r"(?:[#!*] {0,3})?"
_LINE: Final = rf"{_MARK}{_KNOWN} {{1,60}}{_VALUE}(?: {{1,4}}\([^()]{{1,120}}\)| {{1,4}}\[[^\[\]]{{1,400}}\])? {{0,4}}$"
_CLUSTER: Final = r"Configuration data for cluster \S{1,253}:"
CLAIM: Final = rf"#? ?{_CLUSTER}|{_LINE}"
_FORM = re.compile(rf"{_MARK}(?:[a-z][a-z0-9]{{0,30}}[A-Z]\w{{0,60}}|{_PLAIN_NAMES})(?: {{1,60}}\S|$)")
_COMMENTED = re.compile(rf"# ?{_CLUSTER}")
_FILE_SYSTEMS: Final = r"File systems in cluster \S{1,253}:"
_OWNS: Final = re.compile(
    rf"{CLAIM}|#? ?(?:{_FILE_SYSTEMS}|/dev/\S{{1,100}}$|\(none\)$|-{{8,200}}$|={{8,200}}$"
    r"|\[[\w.,:@-]{1,2000}\]$|\[ ?\.\.\. ?\]$)|#$"
)
_ROW = re.compile(r"([#!*])? {0,3}([A-Za-z]\w{1,60})(?: {1,60}(\S.{0,2000}))?$")
_NOTE = re.compile(r"(.{0,2000}?) {1,4}\(([^()]{1,120})\)$")
_SCOPED = re.compile(r"(.{0,2000}?) {1,4}\[([^\[\]]{1,2000})\]$")
_SCOPE = re.compile(r"\[([\w@][\w.,:@-]{0,2000})\]$")
_REMARK = re.compile(r" {1,8}(?:#{1,4}|/{2,3}|<-{1,4}) .{0,400}$|^(?:#{2,4}|/{2,3}) .{0,400}$|<{3,10}.{0,400}$")
_NAME = re.compile(r"Configuration data for cluster (\S{1,253}?):")
_PRINTERS: Final = r"\bmmlsconfig\b|\bmmd?diag\b.{0,40} --config\b|\bdump config\b|^mmdiag --config$"
COMMON: Final = "common"

_DONE: Final = r"mmchconfig: Command successfully completed"
_REFUSED: Final = r"(?:[A-Za-z0-9][\w.-]{0,252}: {1,4})?Unknown config name:? {1,4}[A-Za-z]\w{1,80}"
_SPREAD: Final = r"mmch(?:config|nsd|fs|disk): (?:\d{4}-\d{3,5} {1,4})?Propagating the cluster configuration data"
_REST: Final = r"affected nodes\. {1,4}This is an asynchronous process\."
_UNKNOWN = re.compile(r"(?:([A-Za-z0-9][\w.-]{0,252}): {1,4})?Unknown config name:? {1,4}([A-Za-z]\w{1,80})")
_ASSIGNED = re.compile(r"([A-Za-z]\w{1,60})=(\S{1,400})$")
_PARTS = re.compile(r",(?=[A-Za-z]\w{1,60}=)")


def _owns(text: str, before: str) -> bool:
    body = _REMARK.sub("", text.strip())
    return (
        not body
        or _OWNS.match(body) is not None
        or (_FORM.match(body) is not None and len(body) < 2400 and not is_prose(body))
    )


class _Config:
    """Settings of one section."""

    def __init__(self, section: OpenSection, out: Output) -> None:
        self._section = section
        self._out = out
        self.source = _source(section.command)

    def read(self, line: Line) -> None:
        """One line."""
        text, state = _REMARK.sub("", line.text.strip()), self._section.state
        if text[:1] == "#" and (state.get("commented") or _COMMENTED.match(text)):
            state["commented"], text = True, text[1:].strip()  # the whole listing stands in comments
        if not text:
            self._out.ignore()  # a remark of somebody
        elif found := _NAME.match(text):
            state["source"], state["scope"] = "mmlsconfig", None
            self._section.speaks_of(scope=found[1])
        elif re.match(_FILE_SYSTEMS, text):
            state["file_systems"] = True
        elif found := _SCOPE.match(text):
            state["scope"] = None if found[1] == COMMON else found[1]
        elif state.get("file_systems") or text[:1] in "-/([":
            self._out.ignore()
        elif (row := _ROW.match(text)) is not None:
            if row[3]:  # a name alone has no value, or lost it
                self._row(line, row)
        else:
            self._out.skip(line, "no name with a value")

    def _row(self, line: Line, row: re.Match[str]) -> None:
        value, note, scope = row[3].strip(), None, self._section.state.get("scope")
        if found := _NOTE.match(value):
            value, note = found[1], found[2]
        elif found := _SCOPED.match(value):
            value, scope = found[1], found[2]
        self._add(line, row[2], value, scope=scope, mark=row[1], note=note)

    def _add(
        self,
        line: Line,
        name: str,
        value: str,
        *,
        scope: str | None = None,
        mark: str | None = None,
        note: str | None = None,
    ) -> None:
        section = self._section
        source = section.state.get("source") or self.source
        cluster_wide = source == "mmlsconfig"
        section.add(
            Setting,
            line.number,
            node=None if cluster_wide else section.node,
            scope=scope,
            source=source,
            name=name,
            value=value,
            mark=mark,
            note=note,
        )


def _source(command: Command | None) -> str:
    text = command.text if command else ""
    if "mmlsconfig" in text:
        return "mmlsconfig"
    return "mmfsadm dump config" if "dump config" in text else "mmdiag --config" if "--config" in text else "config"


@parser(
    "scale_config",
    version=3,
    product="spectrum-scale",
    claims=CLAIM,
    owns=_owns,
    commands=("mmlsconfig", "mmdiag", "mmddiag", "mmfsadm"),
    priority=-1,
    places=_PRINTERS,
)
def scale_config(section: OpenSection, out: Output) -> None:
    """``mmlsconfig``, ``mmdiag --config``, ``mmfsadm dump config``: settings."""
    config = _Config(section, out)
    for line in section:
        config.read(line)


@parser(
    "scale_change",
    version=1,
    product="spectrum-scale",
    claims=rf"{_DONE}|{_REFUSED}|{_SPREAD}",
    owns=rf"{_DONE}|{_REFUSED}|{_SPREAD}|{_REST}|mmchconfig: |\[ ?\.\. ?\]$",
    commands=("mmchconfig",),
)
def scale_change(section: OpenSection, out: Output) -> None:
    """``mmchconfig``: what was set, and nodes that do not know it."""
    for line in section:
        text = line.text.strip()
        if found := _UNKNOWN.match(text):
            section.add(
                Event,
                line.number,
                node=found[1] or section.node,
                source="mmchconfig",
                kind="unknown-config-name",
                about=found[2],
                text=text,
            )
        elif re.match(_DONE, text):
            for name, value, scope in _assignments(section.command):
                out.add(
                    Setting(
                        line=line.number,
                        scope=scope,
                        source="mmchconfig",
                        name=name,
                        value=value,
                        at=section.at,
                        zone_min=section.zone_min,
                        set_here=True,
                    )
                )
        else:
            out.ignore()


def _assignments(command: Command | None) -> list[tuple[str, str, str | None]]:
    """What ``mmchconfig a=1,b=2 -i -N nodes`` sets, and where."""
    if command is None or command.program != "mmchconfig":
        return []
    words = list(command.args)
    scope = next((words[place + 1] for place, word in enumerate(words[:-1]) if word == "-N"), None)
    found = [match for word in words for part in _PARTS.split(word) if (match := _ASSIGNED.match(part.strip("'\"")))]
    return [(match[1], match[2].strip("'\""), scope) for match in found]
