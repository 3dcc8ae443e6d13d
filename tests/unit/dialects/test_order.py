"""Dialects are found in their folders and arranged by what each declares."""

from __future__ import annotations

from itertools import permutations

import pytest

from spanloom.core import dialects
from spanloom.core.dialects.fallback import DIALECTS as FALLBACK
from spanloom.core.dialects.fallback.dialect import Fallback
from spanloom.core.dialects.order import arrange, collect
from spanloom.core.dialects.registry import DIALECTS


def named(dialect_id: str, *before: str) -> Fallback:
    declared = {"id": dialect_id, "before": before}
    made: Fallback = type("Made", (Fallback,), declared)()
    return made


def ids(*made: Fallback) -> list[str]:
    return [dialect.id for dialect in arrange(made)]


def test_order_follows_what_each_declares_in_whatever_order_they_come() -> None:
    made = [named("a"), named("b", "a"), named("c", "b"), named("d")]
    assert {tuple(ids(*some)) for some in permutations(made)} == {("c", "b", "a", "d")}


def test_fallback_is_asked_last() -> None:
    assert ids(*FALLBACK, named("z"), named("a")) == ["a", "z", "fallback"]


def test_two_with_one_id_are_refused() -> None:
    with pytest.raises(ImportError, match="two dialects have the id a"):
        arrange([named("a"), named("a")])


def test_a_circle_is_refused() -> None:
    with pytest.raises(ImportError, match="before each other"):
        arrange([named("a", "b"), named("b", "a")])


def test_an_unknown_one_is_refused() -> None:
    with pytest.raises(ImportError, match="a stands before nowhere"):
        arrange([named("a", "nowhere")])


def test_every_folder_is_found_and_each_stands_before_those_it_names() -> None:
    found = [dialect.id for dialect in DIALECTS]
    assert sorted(found) == sorted(dialect.id for dialect in collect(dialects))
    for dialect in DIALECTS:
        assert all(found.index(dialect.id) < found.index(later) for later in dialect.before)
