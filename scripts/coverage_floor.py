"""The floor of each package under its tests: what coverage measured, held against tests/coverage_floors.json, which
only rises.

``python -m scripts.coverage_floor var/coverage.json`` fails where a package is below its floor; with ``--raise`` the
floors become what was measured, rounded down, and never less than they were.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections import Counter
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[1]
FLOORS: Final = ROOT / "tests" / "coverage_floors.json"
ENGINE: Final = "apps/diagnosis/engine"


def package_of(path: str) -> str:
    """The engine is one; otherwise an app, or the first folder."""
    if path.startswith(f"{ENGINE}/"):
        return ENGINE
    parts = Path(path).parts
    return "/".join(parts[:2]) if parts[0] == "apps" and len(parts) > 2 else parts[0]


def shares(measured: dict[str, Any]) -> dict[str, float]:
    """Per cent of the statements of each package that ran; ``measured`` is what ``coverage json`` writes."""
    whole: Counter[str] = Counter()
    ran: Counter[str] = Counter()
    for path, file in measured["files"].items():
        whole[package_of(path)] += file["summary"]["num_statements"]
        ran[package_of(path)] += file["summary"]["covered_lines"]
    return {package: 100 * ran[package] / statements for package, statements in sorted(whole.items()) if statements}


def below(found: dict[str, float], floors: dict[str, int]) -> list[str]:
    """Packages that fell below their floors, in words; one that was not measured counts as 0 %."""
    low = {
        package: (found.get(package, 0.0), floor)
        for package, floor in floors.items()
        if found.get(package, 0.0) < floor
    }
    return [f"{package}: {share:.1f} % is below its floor of {floor} %" for package, (share, floor) in low.items()]


def raised(found: dict[str, float], floors: dict[str, int]) -> dict[str, int]:
    """Floors of whole per cents, each at least what it was."""
    return {package: max(math.floor(share), floors.get(package, 0)) for package, share in found.items()}


def main(arguments: list[str]) -> int:
    """0: all packages are at their floors or above; 1: one is not."""
    parser = argparse.ArgumentParser(prog="make coverage", description=__doc__)
    parser.add_argument("measured", type=Path, help="what `coverage json` wrote")
    parser.add_argument(
        "--raise", action="store_true", dest="is_raised", help="keep what was measured as the new floors"
    )
    options = parser.parse_args(arguments)
    found = shares(json.loads(options.measured.read_text(encoding="utf-8")))
    floors: dict[str, int] = json.loads(FLOORS.read_text(encoding="utf-8"))
    sys.stdout.writelines(f"{share:6.1f} %  {package}\n" for package, share in found.items())
    faults = below(found, floors)
    sys.stdout.writelines(f"{fault}\n" for fault in faults)
    if options.is_raised and not faults:
        FLOORS.write_text(json.dumps(raised(found, floors), indent=2) + "\n", encoding="utf-8")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
