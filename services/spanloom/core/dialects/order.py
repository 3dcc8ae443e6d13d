"""Finds the dialects in their folders and puts them into the order in which they are asked."""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter
from importlib import import_module
from pkgutil import iter_modules
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from types import ModuleType

    from spanloom.core.dialects.base import Dialect

LAST = "fallback"
"""Takes every span, so it comes after all others whether they say so or not."""


def collect(package: ModuleType) -> Sequence[Dialect]:
    """Return what each folder of the package exports as ``DIALECTS``."""
    folders = sorted(info.name for info in iter_modules(package.__path__) if info.ispkg)
    modules = [import_module(f"{package.__name__}.{name}") for name in folders]
    return [dialect for module in modules for dialect in module.DIALECTS]


def arrange(dialects: Iterable[Dialect]) -> Sequence[Dialect]:
    """Return the dialects so that each stands before those that it names in ``before``.

    Where none decides, ids do. Raises ``ImportError`` if two have the same id, if one names an
    unknown one, or if they stand before each other.
    """
    by_id: dict[str, Dialect] = {}
    for dialect in dialects:
        if by_id.setdefault(dialect.id, dialect) is not dialect:
            raise ImportError(f"two dialects have the id {dialect.id}")
    earlier = TopologicalSorter({i: set[str]() for i in sorted(by_id)})
    for dialect_id in sorted(by_id):
        for later in by_id[dialect_id].before:
            if later not in by_id:
                raise ImportError(f"{dialect_id} stands before {later}, which is no dialect")
            earlier.add(later, dialect_id)
        if dialect_id != LAST and LAST in by_id:
            earlier.add(LAST, dialect_id)
    try:
        return [by_id[dialect_id] for dialect_id in _drain(earlier)]
    except CycleError as error:
        raise ImportError(f"dialects stand before each other: {error.args[1]}") from error


def _drain(sorter: TopologicalSorter[str]) -> Iterable[str]:
    """Yield the ids; among those that are ready the first by name."""
    sorter.prepare()
    ready: list[str] = []
    while sorter.is_active():
        ready = sorted([*ready, *sorter.get_ready()])
        yield ready[0]
        sorter.done(ready.pop(0))
