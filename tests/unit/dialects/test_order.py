"""Dialects are discovered in their modules and ordered by what each declares."""

from __future__ import annotations

from importlib import import_module
from itertools import permutations
from typing import TYPE_CHECKING

import pytest

from spanloom.core import dialects
from spanloom.core.dialects.base import Claim, Dialect, arrange, collect, find_later
from spanloom.core.dialects.fallback import DIALECTS as FALLBACK
from spanloom.core.dialects.registry import DIALECTS

if TYPE_CHECKING:
    from pathlib import Path


def named(
    dialect_id: str, *before: str, claims: Claim = Claim.LIBRARY, extends: type[Dialect] = Dialect
) -> Dialect:
    declared = {"id": dialect_id, "before": before, "claims": claims}
    made: Dialect = type("Made", (extends,), declared)()
    return made


def ids(*made: Dialect) -> list[str]:
    return [dialect.id for dialect in arrange(made)]


def test_order_follows_what_each_declares_in_whatever_order_they_come() -> None:
    made = [named("a"), named("b", "a"), named("c", "b"), named("d")]
    assert {tuple(ids(*some)) for some in permutations(made)} == {("c", "b", "a", "d")}


def test_overlays_come_before_libraries_and_those_before_what_many_share() -> None:
    shared, overlay = named("a", claims=Claim.SHARED), named("z", claims=Claim.OVERLAY)
    assert ids(*FALLBACK, shared, named("y"), overlay) == ["z", "y", "a", "fallback"]


def test_one_before_an_overlay_is_asked_with_the_overlays() -> None:
    overlay = named("a", claims=Claim.OVERLAY)
    assert ids(named("c", "d"), overlay, named("b"), named("d", "a")) == ["c", "d", "a", "b"]


def test_one_that_extends_another_comes_before_it_and_is_about_a_library() -> None:
    shared = named("a", claims=Claim.SHARED)
    other = named("b", claims=Claim.SHARED)
    undeclared: Dialect = type("Made", (type(shared),), {"id": "z"})()
    assert ids(shared, other, undeclared) == ["z", "a", "b"]


def test_two_with_one_id_are_refused() -> None:
    with pytest.raises(ImportError, match="two dialects have the id a"):
        arrange([named("a"), named("a")])


def test_a_circle_is_refused() -> None:
    with pytest.raises(ImportError, match="precede each other"):
        arrange([named("a", "b"), named("b", "a")])


def test_an_unknown_one_is_refused() -> None:
    with pytest.raises(ImportError, match="a is to precede nowhere"):
        arrange([named("a", "nowhere")])


def test_a_module_and_a_package_are_found_without_being_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "found_dialects"
    for name in ("__init__", "base", "registry", "family/__init__", "alone"):
        file = folder / f"{name}.py"
        file.parent.mkdir(exist_ok=True)
        exports = name in ("family/__init__", "alone")
        file.write_text(f"DIALECTS = ({name!r},)" if exports else "")
    monkeypatch.syspath_prepend(tmp_path)
    found = [str(dialect) for dialect in collect(import_module("found_dialects"))]
    assert found == ["alone", "family/__init__"]


def test_every_dialect_is_found_and_each_stands_before_those_it_precedes() -> None:
    found = [dialect.id for dialect in DIALECTS]
    assert sorted(found) == sorted(dialect.id for dialect in collect(dialects))
    by_id = {dialect.id: dialect for dialect in DIALECTS}
    for dialect in DIALECTS:
        later = find_later(dialect, by_id)
        assert all(found.index(dialect.id) < found.index(other) for other in later)
