"""What glocktop prints beside the glocks: the lock manager's copy, its own reading, call traces, the summary. No parser
of its own.
"""

from __future__ import annotations

import re
from dataclasses import field
from typing import Final

from parsers.dataclass import dataclass
from parsers.formats.gfs2.dlm_names import glock_resource
from parsers.output import Output
from parsers.records import Counter, Event, Setting
from parsers.records.locks import DlmLock
from parsers.records.waits import Stack

SUMMARY: Final = r"S(?: {1,40}(?:glocks|-{3,}|[GP] Waiting|DLM wait|Held [A-Z]{2}|Unlocked|Locked|Total|nondisk)|$)"
LINES: Final = rf"[DUC]: |{SUMMARY}"
_TABLES: Final = ("dirtbl_size", "rsbtbl_size", "lkbtbl_size")
_HEADER = re.compile(
    r"@\S{1,128} {1,8}dlm: (?P<dir>[^/\s]{0,12})/(?P<rsb>[^/\s]{0,12})/(?P<lkb>[^\s\[]{0,12}) "
    r"{0,4}(?:\[(?P<stars>\*{0,2000}) {0,12}\]?)?"
)
_COPY = re.compile(
    r"D: (?P<queue>Granted|Converting) (?P<mode>NL|CR|CW|PR|PW|EX) on (?P<node>this node|node \d{1,10}) "
    r"to pid (?P<pid>-?\d{1,10})"
)
_WAIT = re.compile(r"D: Waiting for (?P<node>this node|node \d{1,10}), pid (?P<pid>-?\d{1,10})")
_PROCESS = re.compile(
    r"U: {1,8}[WH] {1,4}--->{1,2} {1,4}(?:waiting|held by) pid (?P<pid>-?\d{1,10}) \[(?P<task>[^\]]{0,32})\]"
)
_FRAME = re.compile(r"C: {1,40}(?P<function>[A-Za-z_][\w.$]{0,127})(?:\+0x[0-9a-f]{1,8})?")
_ROW = re.compile(r"S {1,40}(?P<name>[A-Za-z][A-Za-z ]{1,16}): {1,20}(?P<values>\d{1,12}(?: {1,20}\d{1,12}){0,15})$")
_COLUMNS: Final = ("nondisk", "inode", "rgrp", "iopen", "flock", "quota", "jrnl", "Total")
_COMM_WAIT: Final = "DLM is in a comm wait"


@dataclass(slots=True)
class Report:
    """One report of glocktop while it is read: who and when, the process its last reading was about, the frames below
    it.
    """

    node: str | None = None
    at: int | None = None
    zone_min: int | None = None
    fs: str | None = None
    line: int = 0
    columns: tuple[str, ...] = _COLUMNS
    task: str | None = None
    pid: int | None = None
    frames: list[str] = field(default_factory=list)
    frames_line: int = 0

    def header(self, out: Output, text: str) -> None:
        """Sizes of the lock manager's tables, and a star for each request that no node has answered."""
        match = _HEADER.search(text)
        if match is None:
            return
        for name, value in zip(_TABLES, (match["dir"], match["rsb"], match["lkb"]), strict=True):
            if value.isdigit():
                out.add(
                    Setting(
                        line=self.line,
                        node=self.node,
                        source="glocktop",
                        name=name,
                        value=value,
                        at=self.at,
                        zone_min=self.zone_min,
                    )
                )
        if match["stars"] is not None:
            self._count(out, self.line, "requests without reply", float(len(match["stars"])), "requests")

    def take(self, out: Output, number: int, text: str, glock: str | None) -> bool:
        """One line below a glock; False where it is not understood."""
        if text.startswith("D:"):
            return self._copy(out, number, text, glock)
        if text.startswith("C:"):
            return self._frame(number, text)
        self.flush(out)
        if text.startswith("U:"):
            self._reading(out, number, text, glock)
            return True
        return self._summary(out, number, text)

    def flush(self, out: Output) -> None:
        """The frames seen belong to one process."""
        if self.frames:
            out.add(
                Stack(
                    line=self.frames_line,
                    node=self.node,
                    at=self.at,
                    zone_min=self.zone_min,
                    source="glocktop",
                    task=self.task,
                    pid=self.pid,
                    frames=" ".join(self.frames),
                )
            )
        self.frames.clear()

    def _copy(self, out: Output, number: int, text: str, glock: str | None) -> bool:
        match = _COPY.match(text) or _WAIT.match(text)
        if match is None or glock is None:
            return False
        waits = match.re is _WAIT
        node = 0 if match["node"] == "this node" else int(match["node"].removeprefix("node "))
        queue = "waiting" if waits else match["queue"].lower()
        out.add(
            DlmLock(
                line=number,
                node=self.node,
                at=self.at,
                zone_min=self.zone_min,
                source="glocktop",
                lockspace=self.fs,
                resource=glock_resource(glock),
                owner_node=node,
                pid=int(match["pid"]),
                granted=None if waits else match["mode"],
                queue=queue,
            )
        )
        return True

    def _frame(self, number: int, text: str) -> bool:
        match = _FRAME.match(text)
        if match is None:
            return False
        self.frames_line = self.frames_line if self.frames else number
        self.frames.append(match["function"])
        return True

    def _reading(self, out: Output, number: int, text: str, glock: str | None) -> None:
        """The tool's reading of the raw lines says nothing new, save for whom the frames are and that a reply is
        missing.
        """
        if match := _PROCESS.match(text):
            self.pid, self.task = int(match["pid"]), match["task"]
        if _COMM_WAIT in text:
            out.add(
                Event(
                    line=number,
                    node=self.node,
                    at=self.at,
                    zone_min=self.zone_min,
                    source="glocktop",
                    kind="dlm-comm-wait",
                    about=glock,
                    text=text,
                )
            )

    def _summary(self, out: Output, number: int, text: str) -> bool:
        words = text.split()
        if "nondisk" in words:
            self.columns = tuple(words[words.index("nondisk") :])
            return True
        match = _ROW.match(text)
        if match is None:
            return len(words) < 2 or set(words[1]) == {"-"}
        name, values = match["name"].strip(), match["values"].split()
        if len(values) == 1:
            self._count(out, number, name, float(values[0]), "requests" if name == "DLM wait" else "glocks")
            return True
        for column, value in zip(self.columns, values, strict=False):
            self._count(
                out, number, f"{name} {column}", float(value), "processes" if name.startswith("P ") else "glocks"
            )
        return True

    def _count(self, out: Output, number: int, name: str, value: float, unit: str) -> None:
        out.add(
            Counter(
                line=number,
                node=self.node,
                scope=self.fs,
                source="glocktop",
                name=name,
                unit=unit,
                value=value,
                at=self.at,
                zone_min=self.zone_min,
                sample=self.line or number,
            )
        )
