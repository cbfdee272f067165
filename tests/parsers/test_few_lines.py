"""Short dumps of I/O requests and of locks are read in runs as they are line by line: wrapped, quoted, damaged, printed
twice.
"""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from parsers.records import DiskIo, Record, Repeat
from parsers.records.locks import DlmLock
from parsers.sections.open_section import OpenSection
from parsers.sections.stretch import Stretch, TextStretch
from parsers.text import Line
from tests.parsers.golden import FIXTURES, Reading

HEAD = """[root@elm3 ~]# date
Mon Mar  2 07:45:00 CET 2026
[root@elm3 ~]# mmdiag --iohist

=== mmdiag: iohist ===

I/O history:

 I/O start time RW    Buf type disk:sectorNum     nSec  time ms      Type      Device/NSD ID        NSD node
--------------- -- ----------- ----------------- -----  -------      ---- ------------------ ---------------
"""


def rows(count: int, *, seed: int = 1, has_tags: bool = False, node: str = "") -> str:
    rng = random.Random(seed)
    text = ""
    for n in range(count):
        kind = rng.choice(("srv", "cli"))
        uid = f"0A14030B:{rng.randrange(16**8):08X}"
        disk = f"{kind}  {rng.choice(('dm-7', 'sdq', uid)) if kind == 'srv' else uid + '   10.20.3.11'}"
        tags = f"{rng.randrange(99999)} {rng.randrange(9999)} {uid} {kind} 10.20.3.11 MBHandler AioWorkerThread"
        text += (
            f"{node}07:44:{n % 60:02d}.{rng.randrange(10**6):06d}  {rng.choice('RW')}"
            f"  {rng.choice(('data', 'logData'))} {rng.randrange(60):5d}:{rng.randrange(10**10):<12d}"
            f" {rng.choice((8, 16, 2048)):5d} {rng.random() * 20:8.3f}  {tags if has_tags else disk}\n"
        )
    return text


def changed(text: str, change: Callable[[str], str], every: int) -> str:
    lines = text.splitlines(keepends=True)
    return "".join(change(line) if at % every == every - 1 else line for at, line in enumerate(lines))


def wrapped(line: str) -> str:
    return f"{line[:80]}\n{line[80:]}" if len(line) > 82 else line


TEXTS = {
    "plain": HEAD + rows(300),
    "tags": HEAD + rows(300, has_tags=True),
    "no head": rows(300),
    "prefixed": HEAD + rows(150, node="elm3: ") + rows(150, seed=2, node="elm4: "),
    "quoted": "".join(f"> {line}" for line in (HEAD + rows(200)).splitlines(keepends=True)),
    "twice": (HEAD + rows(40)) * 2 + "a sentence that somebody wrote between them.\n" + rows(40),
    "commas": HEAD + rows(200).replace(".", ","),
    "some commas": HEAD + changed(rows(200), lambda line: line.replace(".", ",", 2), 7),
    "a terminal of 80 columns": HEAD + changed(rows(200, has_tags=True), wrapped, 1),
    "some wrapped": HEAD + changed(rows(200), lambda line: line.replace("   10.20", "\n   10.20"), 5),
    "prompts": changed(HEAD + rows(200), lambda line: line + "[root@elm3 ~]# date\n", 50),
    "remarks": HEAD + changed(rows(200), lambda line: line[:-1] + "   <-- slow\n", 9),
    "tabs": HEAD + changed(rows(200), lambda line: line.replace("  ", "\t"), 11),
    "no dates": HEAD.split("\n", 2)[2] + rows(300),
    "cut": (HEAD + rows(300))[:-25],
    "many nodes": "".join(HEAD.replace("elm3", f"elm{n}") + rows(50, seed=n) for n in range(8)),
}


LOCKS = """[root@elm3 ~]# cat /sys/kernel/debug/dlm/spool_locks
id nodeid remid pid xid exflags flags sts grmode rqmode time_ms r_nodeid r_len r_name
"""


def locks(count: int, *, seed: int = 1) -> str:
    rng = random.Random(seed)
    return "".join(
        f"{rng.randrange(16**7):07x} {rng.randrange(5)} {rng.randrange(16**7):x} {rng.randrange(90000)} 0 0"
        f" {rng.choice(('0', '10000'))} {rng.choice((1, 2, 2, 3))} {rng.choice((-1, 0, 3, 5))}"
        f' {rng.choice((-1, 3, 5))} {rng.randrange(10**6)} {rng.randrange(5)} 24 "{n // 3:8d}{n // 3 * 16:16x}"\n'
        for n in range(count)
    )


TEXTS |= {
    "locks": LOCKS + locks(300),
    "locks of two nodes": LOCKS + locks(200) + LOCKS.replace("elm3", "elm4") + locks(200, seed=2),
    "locks twice": (LOCKS + locks(60)) * 2,
    "locks that a mail broke": LOCKS + changed(locks(200), lambda line: line.replace('   "', '\n   "'), 1),
    "locks cut in their padding": LOCKS + changed(locks(200), lambda line: f"{line[:-9]}\n{line[-9:]}", 6),
    "locks with odd modes": LOCKS + changed(locks(200), lambda line: line.replace(" -1 ", " 9 "), 4),
    "quoted locks": "".join(f"> {line}" for line in (LOCKS + locks(200)).splitlines(keepends=True)),
    "numbered locks": "".join(f"{at}: {line}" for at, line in enumerate((LOCKS + locks(99)).splitlines(keepends=True))),
    "names in digits": LOCKS + locks(200).replace('"', ""),
    "cut locks": (LOCKS + locks(200))[:-12],
}
OF_FORMATS = ("scale_iohist/typical", "scale_iohist/wrapped", "scale_iohist/damaged", "dlm_locks/typical")


@pytest.mark.parametrize("name", [*TEXTS, *OF_FORMATS, "dlm_locks/damaged"])
def test_short_dumps_are_read_in_runs_as_they_are_line_by_line(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = TEXTS[name] if name in TEXTS else (FIXTURES / f"{name}.txt").read_text("utf-8") * 2
    fast = Reading(text)

    def none(_: object, section: OpenSection) -> tuple[int, list[object]]:
        return section.line_number + 1, []

    for kind in (Stretch, TextStretch):
        monkeypatch.setattr(kind, "take_few", none)
    slow = Reading(text)
    assert fast.sink.columns == slow.sink.columns
    assert fast.result == slow.result


@pytest.mark.parametrize(("name", "kind"), [("plain", DiskIo), ("locks", DlmLock)])
def test_lines_of_a_short_dump_are_not_looked_at_one_by_one(
    name: str, kind: type[Record], monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[int] = []
    real = OpenSection._given

    def counted(self: OpenSection, line: Line) -> Line:
        given.append(1)
        return real(self, line)

    monkeypatch.setattr(OpenSection, "_given", counted)
    reading = Reading(TEXTS[name])
    assert len(reading.of(kind)) == 300
    assert not reading.of(Repeat)
    assert len(given) < 60
