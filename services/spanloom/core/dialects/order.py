"""Finds the dialects and sorts them into the order in which they are tried."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from graphlib import CycleError, TopologicalSorter
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

from spanloom.core.dialects.base import Dialect

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from types import ModuleType

    from spanloom.core.dialects.base import Claim

NO_DIALECTS = frozenset({"base", "order", "registry"})
"""The modules next to the dialects that are none."""

Later = Mapping[str, Collection[str]]
"""For each id, the ids that must be tried after it."""


def collect(package: ModuleType) -> Sequence[Dialect]:
    """Return the dialects that the modules of the package export as ``DIALECTS``."""
    names = sorted({info.name for info in iter_modules(package.__path__)} - NO_DIALECTS)
    modules = [import_module(f"{package.__name__}.{name}") for name in names]
    return [dialect for module in modules for dialect in module.DIALECTS]


def arrange(dialects: Iterable[Dialect]) -> Sequence[Dialect]:
    """Return the dialects in the order in which they are tried.

    Each precedes those that it names in ``before`` and the one whose class it extends; otherwise
    ``claims`` decides, then the id. A dialect that must precede another moves up to the claim of
    that one: ``strands``, before ``mlflow``, is tried with the overlays.

    Raises ``ImportError`` if two have the same id, if one names an unknown id, or if the order is
    circular.
    """
    by_id = _by_id(dialects)
    later = {dialect_id: find_later(dialect, by_id) for dialect_id, dialect in by_id.items()}
    try:
        return [by_id[dialect_id] for dialect_id in _sort(later, _lowest_claims(by_id, later))]
    except CycleError as error:
        raise ImportError(f"dialects precede each other: {error.args[1]}") from error


def find_later(dialect: Dialect, by_id: Mapping[str, Dialect]) -> set[str]:
    """Return the ids that must be tried after a dialect: those in ``before`` and its base classes.

    Raises ``ImportError`` for an unknown id in ``before``.
    """
    for named in dialect.before:
        if named not in by_id:
            raise ImportError(f"{dialect.id} is to precede {named}, which is no dialect")
    bases = type(dialect).__mro__[1:]
    return {*dialect.before, *(i for i, other in by_id.items() if type(other) in bases)}


def own_claim(dialect: Dialect) -> Claim:
    """Return the claim that the class declares itself: a subclass of a shared one is a library."""
    claim: Claim = vars(type(dialect)).get("claims", Dialect.claims)
    return claim


def _by_id(dialects: Iterable[Dialect]) -> Mapping[str, Dialect]:
    by_id: dict[str, Dialect] = {}
    for dialect in dialects:
        if by_id.setdefault(dialect.id, dialect) is not dialect:
            raise ImportError(f"two dialects have the id {dialect.id}")
    return by_id


def _lowest_claims(by_id: Mapping[str, Dialect], later: Later) -> Mapping[str, int]:
    """Return for each id the lowest claim among it and the ids that it must precede."""
    lowest: dict[str, int] = {}
    for dialect_id in TopologicalSorter(later).static_order():
        own = own_claim(by_id[dialect_id])
        lowest[dialect_id] = min([own, *[lowest[i] for i in later[dialect_id]]])
    return lowest


def _sort(later: Later, claims: Mapping[str, int]) -> Iterable[str]:
    """Yield the ids in topological order; ties are decided by the lowest claim, then the id."""
    sorter: TopologicalSorter[str] = TopologicalSorter(dict.fromkeys(later, ()))
    for dialect_id, after in later.items():
        for other in after:
            sorter.add(other, dialect_id)
    sorter.prepare()
    ready: list[tuple[int, str]] = []
    while sorter.is_active():
        ready = sorted([*ready, *[(claims[i], i) for i in sorter.get_ready()]])
        _, first = ready.pop(0)
        yield first
        sorter.done(first)
