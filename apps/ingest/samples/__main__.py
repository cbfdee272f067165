"""``python -m apps.ingest.samples DIR`` writes the bundles of all sample cases into DIR."""

from __future__ import annotations

import sys
from pathlib import Path

from apps.ingest.samples import SAMPLES


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        sys.stderr.write("usage: python -m apps.ingest.samples DIR\n")
        return 2
    folder = Path(arguments[0])
    folder.mkdir(parents=True, exist_ok=True)
    for sample in SAMPLES:
        content = sample.build()
        (folder / sample.filename).write_bytes(content)
        sys.stdout.write(f"{sample.key}  {len(content)} bytes  {folder / sample.filename}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
