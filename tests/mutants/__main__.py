"""``python -m tests.mutants``: check that all mutants apply, or run them (``README.md``)."""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from typing import TYPE_CHECKING

from tests.mutants.copy import Copy, copied
from tests.mutants.every import MUTANTS
from tests.mutants.mutant import NotApplicableError, lines_of, mutated, place_of
from tests.mutants.results import Fate, Result, read_results, write_results

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tests.mutants.mutant import Mutant, Place

FAILED_TESTS, PASSED = 1, 0
BASELINE_S = 900


def main() -> int:
    """Run the command; return 1 if a mutant cannot be applied, or survives against its record."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    commands = parser.add_subparsers(dest="command")
    commands.add_parser("check", help="list all, and check that each applies (the default)")
    run = commands.add_parser("run", help="run the tests of each mutant in a copy of the checkout")
    run.add_argument("names", nargs="*", metavar="NAME", help="these alone; a room: all of it")
    run.add_argument("--record", action="store_true", help="write the results into results.tsv")
    run.add_argument(
        "--unproven", action="store_true", help="do not run the tests without any mutant first"
    )
    options = parser.parse_args()
    if options.command != "run":
        return check()
    chosen = [m for m in MUTANTS if not options.names or {m.name, m.room} & set(options.names)]
    if unknown := set(options.names) - {name for m in MUTANTS for name in (m.name, m.room)}:
        parser.error(f"no such mutant: {', '.join(sorted(unknown))}")
    return run_all(chosen, is_recorded=options.record, is_proven=not options.unproven)


def check() -> int:
    """Print each mutant with its line and recorded result; return 1 if one cannot be applied."""
    recorded, lines, amiss = read_results(), lines_of(), 0
    for mutant in MUTANTS:
        try:
            place = place_of(mutant, lines)
            mutated(mutant, place)
        except NotApplicableError as error:
            amiss += 1
            print(error, file=sys.stderr)
            continue
        fate = recorded[mutant.name].fate if mutant.name in recorded else "not run"
        print(f"{mutant.room:9} {mutant.name:32} {fate:8} {place.path}:{place.row + 1}")
    print(f"{len(MUTANTS)} mutants, {amiss} of which cannot be applied")
    return int(amiss > 0)


def run_all(mutants: Sequence[Mutant], *, is_recorded: bool, is_proven: bool) -> int:
    """Run the mutants in turn; return 1 if one ends in an error or worse than recorded."""
    lines = lines_of()
    places = {mutant.name: place_of(mutant, lines) for mutant in mutants}
    recorded, results = read_results(), dict[str, Result]()
    with copied() as copy:
        if is_proven and not _passes_without(copy, mutants):
            return 1
        for mutant in mutants:
            began = time.monotonic()
            result = results[mutant.name] = _result(copy, mutant, places[mutant.name])
            took_s = time.monotonic() - began
            if is_recorded:
                _record({**recorded, **results})
            print(f"{result.fate:8} {took_s:5.1f} s  {mutant.name:32} {result.by}", flush=True)
    return _conclude(results, recorded)


def _passes_without(copy: Copy, mutants: Sequence[Mutant]) -> bool:
    """Return whether the tests pass without a mutant; otherwise a failure proves nothing."""
    tests = list(dict.fromkeys(test for mutant in mutants for test in mutant.killed_by))
    ended = copy.test(tests, run_s=BASELINE_S)
    if ended.status != PASSED:
        print(f"the tests fail without any mutant:\n{ended.output[-4_000:]}", file=sys.stderr)
    return ended.status == PASSED


def _result(copy: Copy, mutant: Mutant, place: Place) -> Result:
    with copy.with_mutant(mutant, place):
        ended = copy.test(mutant.killed_by)
    if ended.status == PASSED:
        return Result(mutant.name, mutant.room, Fate.SURVIVED, "")
    if ended.status == FAILED_TESTS and ended.failed:
        return Result(mutant.name, mutant.room, Fate.KILLED, ended.failed[0])
    last = (ended.output.strip().splitlines() or ["no output"])[-1]
    return Result(mutant.name, mutant.room, Fate.ERROR, f"status {ended.status}: {last}")


def _record(results: Mapping[str, Result]) -> None:
    """Write the results in the order of the mutants, without those of removed mutants."""
    write_results({m.name: results[m.name] for m in MUTANTS if m.name in results})


def _conclude(results: Mapping[str, Result], recorded: Mapping[str, Result]) -> int:
    counts = Counter(result.fate for result in results.values())
    print(", ".join(f"{counts[fate]} {fate}" for fate in Fate))
    worse = [
        name
        for name, result in results.items()
        if result.fate is Fate.ERROR
        or (
            result.fate is Fate.SURVIVED and name in recorded and recorded[name].fate != result.fate
        )
    ]
    if worse:
        print(f"recorded as killed, and not any more: {', '.join(worse)}", file=sys.stderr)
    return int(bool(worse))


if __name__ == "__main__":
    sys.exit(main())
