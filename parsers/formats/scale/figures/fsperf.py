"""``fsperf``: throughput of a file system as a small measuring program of Spectrum Scale's developers prints it.

    root@lund04 /root/lib>./fsperf -i sequential -o verbose -m throughput -f 5G -b 64K /gpfs/wide | grep -i "I/O
    time:..."
      I/O time:..... 31.2071 s (Throughput: 164.1 MB/s, 2625.0 op/s)
      Ratio trigger time to I/O time:0.00041

Yields ``Measurement``: MB/s as printed, operations per second, seconds of the run. The order of the runs (write first,
read last) is not printed. Node and command from the prompt. No times. Source: IBM Spectrum Scale performance talk.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.output import Output
from parsers.records import Measurement
from parsers.registry import parser
from parsers.sections.reader import OpenSection

_NUMBER: Final = r"\d{1,12}(?:[.,]\d{1,9})?"
_RESULT: Final = rf"I/O time ?:\.{{0,20}} {{0,8}}{_NUMBER} ?s"
_OWNS: Final = rf"{_RESULT}|Ratio trigger time"

_ROW = re.compile(
    rf"I/O time ?:\.{{0,20}} {{0,8}}({_NUMBER}) ?s(?: \(Throughput: ({_NUMBER}) MB/s(?:, ({_NUMBER}) op/s)?)?"
)


@parser("fsperf", version=1, product="", claims=_RESULT, owns=_OWNS, commands=("fsperf",))
def fsperf(section: OpenSection, out: Output) -> None:
    """One line per run."""
    command = section.command.text if section.command and "fsperf" in section.command.text else None
    for line in section:
        row = _ROW.match(line.text.strip())
        if row is None:
            out.ignore()
            continue
        for what, value, unit in (
            ("throughput", row[2], "MB/s"),
            ("operations", row[3], "1/s"),
            ("I/O time", row[1], "s"),
        ):
            if value:
                section.add(
                    Measurement,
                    line.number,
                    tool="fsperf",
                    what=what,
                    value=float(value.replace(",", ".")),
                    unit=unit,
                    command=command,
                )
        if not row[2]:
            out.skip(line, "no throughput")
