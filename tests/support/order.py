"""Which folders a run has, in which order, and which tests share a worker.

Line two of the README runs ``testpaths`` of pyproject.toml; ``.ci/run`` runs those, then ``LATER``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from xdist.scheduler import LoadFileScheduling

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pytest

T = TypeVar("T")
EVERY_CHANGE = (
    *("unit", "contract", "properties", "simulation", "conformance", "golden", "hostile", "smoke"),
)
LATER = ("integration", "faults", "system", "browser")
FOLDERS = tuple(f"tests/{name}/" for name in (*EVERY_CHANGE, *LATER))
"""Fast ones first."""
SPREAD = ("tests/integration/test_benchmarks.py", "tests/system/test_recipes.py")
"""Files of long tests that share nothing: any worker may have any of them."""


class ByFile(LoadFileScheduling):  # type: ignore[misc]  # it has no types
    """Gives a worker all tests of a file, as they share a service, except in ``SPREAD``."""

    def _split_scope(self, nodeid: str) -> str:
        """Return the unit that one worker runs: the file, or the test itself."""
        return nodeid if nodeid.startswith(SPREAD) else nodeid.partition("::")[0]


def sort_slow_first(items: list[pytest.Item]) -> None:
    """Sort for several workers, of which one would else be left alone with a slow file.

    The order is the same whatever it was before, except that the tests of a file keep theirs.
    """
    items.sort(key=lambda item: (-place_of(item.nodeid, FOLDERS), item.nodeid.partition("::")[0]))


def begin_elsewhere(nodes: Sequence[T], worker: int, workers: int) -> list[T]:
    """Return the files of a folder in the order in which one of several workers imports them.

    In a new checkout nothing is compiled. Each worker begins at another file, and finds later
    what the others have compiled in the meantime; else each compiles all of it at the same time.
    """
    first = len(nodes) * worker // workers
    return [*nodes[first:], *nodes[:first]]


def place_of(nodeid: str, folders: Sequence[str]) -> int:
    """Return how late a test is: the number of its folder, -1 if in none."""
    if nodeid.startswith(SPREAD):
        return len(folders)
    return next((n for n, folder in enumerate(folders) if nodeid.startswith(folder)), -1)
