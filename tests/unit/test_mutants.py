"""Every mutant of ``tests/mutants`` can still be applied, even after code has moved."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from tests.mutants.every import MUTANTS
from tests.mutants.mutant import ROOT, Mutant, NotApplicableError, lines_of, mutated, place_of
from tests.mutants.results import Fate, read_results

if TYPE_CHECKING:
    from tests.mutants.mutant import Lines

LEAST = {"core": 28, "storage": 15, "collector": 15, "api": 14, "page": 13}
NOT_THERE = Mutant("gone", "core", "no such line = 1", "no such line = 2", "nothing", ())


@pytest.fixture(scope="module")
def lines() -> Lines:
    return lines_of()


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_a_mutant_finds_its_line_and_parses(mutant: Mutant, lines: Lines) -> None:
    place = place_of(mutant, lines)
    before = (ROOT / place.path).read_text("utf-8").split("\n")
    after = mutated(mutant, place).split("\n")
    assert [n for n, (a, b) in enumerate(zip(before, after, strict=True)) if a != b] == [place.row]


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_the_tests_of_a_mutant_are_there(mutant: Mutant) -> None:
    assert mutant.killed_by
    for test in mutant.killed_by:
        path, _, name = test.partition("::")
        assert (ROOT / path).exists(), test
        text = (ROOT / path).read_text("utf-8") if name else ""
        assert not name or f"def {name.partition('[')[0]}(" in text
        assert not is_nightly(text, name.partition("[")[0]), f"{test} does not run every day"


def is_nightly(text: str, name: str) -> bool:
    """Return whether a test, or all of its file, has the marker ``nightly``."""
    found = re.search(rf"((?:^[^\n]+\n)*)^def {name}\(", text, re.MULTILINE)
    marks = found[1] if found else ""
    return (
        "mark.nightly" in marks
        or re.search(r"^pytestmark = .*nightly", text, re.MULTILINE) is not None
    )


def test_a_line_that_is_gone_or_there_twice_is_refused() -> None:
    with pytest.raises(NotApplicableError, match="nowhere"):
        place_of(NOT_THERE, {})
    places = [(ROOT / "a.py", 0), (ROOT / "b.py", 4)]
    with pytest.raises(NotApplicableError, match=r"b\.py:5"):
        place_of(NOT_THERE, {NOT_THERE.was: places})


def test_each_has_its_name_and_its_line_and_every_room_has_enough() -> None:
    assert len({mutant.name for mutant in MUTANTS}) == len(MUTANTS)
    assert len({mutant.was for mutant in MUTANTS}) == len(MUTANTS)
    rooms = [mutant.room for mutant in MUTANTS]
    assert {room: rooms.count(room) >= least for room, least in LEAST.items()} == dict.fromkeys(
        LEAST, True
    )


def test_the_record_is_of_these_mutants() -> None:
    recorded = read_results()
    assert list(recorded) == [mutant.name for mutant in MUTANTS]
    assert not [result for result in recorded.values() if result.fate is Fate.ERROR]
