"""The record of the mutants and the tests that kill them: ``results.tsv``."""

from __future__ import annotations

import csv
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

PATH = Path(__file__).with_name("results.tsv")


class Fate(StrEnum):
    """The outcome of running a mutant."""

    KILLED = "killed"
    SURVIVED = "survived"
    ERROR = "error"
    """The tests could not be completed, so the mutant is undecided."""


class Result(NamedTuple):
    """A row of the record: the outcome of one mutant."""

    name: str
    room: str
    fate: Fate
    by: str
    """The test that failed first or, for an error, the reason."""


def read_results() -> Mapping[str, Result]:
    """Return the recorded results by mutant; empty if there is no record."""
    if not PATH.exists():
        return {}
    with PATH.open(newline="", encoding="utf-8") as file:
        rows = csv.DictReader(file, delimiter="\t")
        return {r["name"]: Result(r["name"], r["room"], Fate(r["fate"]), r["by"]) for r in rows}


def write_results(results: Mapping[str, Result]) -> None:
    """Replace the record by these results, in their order."""
    with PATH.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter="\t", lineterminator="\n")
        writer.writerow(Result._fields)
        writer.writerows(results.values())
