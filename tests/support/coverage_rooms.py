"""Prints the branch coverage by package: ``coverage_rooms.py coverage.json``.

Reads the output of ``coverage json`` and prints a Markdown table.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

PACKAGE = "services/spanloom/"
TOTAL = "all"


class Covered(NamedTuple):
    """Branches and statements, and how many of them were run."""

    branches: int = 0
    taken: int = 0
    statements: int = 0
    run: int = 0

    def plus(self, summary: Mapping[str, int]) -> Covered:
        """Return the sum with the counts of another file."""
        names = ("num_branches", "covered_branches", "num_statements", "covered_lines")
        return Covered(*(own + summary[name] for own, name in zip(self, names, strict=True)))


def rooms_of(
    report: Mapping[str, Mapping[str, Mapping[str, Mapping[str, int]]]],
) -> dict[str, Covered]:
    """Return the sums for each package, and for all."""
    rooms: dict[str, Covered] = defaultdict(Covered)
    for path, file in report["files"].items():
        room, below, _ = path.removeprefix(PACKAGE).partition("/")
        for name in (TOTAL, room if below else "(top)"):
            rooms[name] = rooms[name].plus(file["summary"])
    return rooms


def lines_of(rooms: Mapping[str, Covered]) -> Iterator[str]:
    """Yield the lines of the table; the sum comes first."""
    yield "| room | branches | taken | share | statements run |"
    yield "| --- | --- | --- | --- | --- |"
    for name, one in sorted(rooms.items(), key=lambda room: (room[0] != TOTAL, room[0])):
        shares = _share(one.taken, one.branches), _share(one.run, one.statements)
        yield f"| {name} | {one.branches} | {one.taken} | {shares[0]} | {shares[1]} |"


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "none"


if __name__ == "__main__":
    print("\n".join(lines_of(rooms_of(json.loads(Path(sys.argv[1]).read_text())))))
