"""The folders of a test run, their order, and the tests that share a worker.

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
    *("unit", "contract", "properties", "simulation", "conformance", "golden", "smoke"),
)
LATER = ("hostile", "integration", "faults", "system", "browser")
FOLDERS = tuple(f"tests/{name}/" for name in (*EVERY_CHANGE, *LATER))
"""Fast folders first."""
SPREAD = ("tests/integration/test_benchmarks.py", "tests/system/test_recipes.py")
"""Files of long tests that share nothing, so that any worker may run any of them."""


class ByFile(LoadFileScheduling):  # type: ignore[misc]  # it has no types
    """Assigns all tests of a file to one worker, as they share a service, except in ``SPREAD``."""

    def _split_scope(self, nodeid: str) -> str:
        """Return the unit that one worker runs: the file, or the test itself."""
        return nodeid if nodeid.startswith(SPREAD) else nodeid.partition("::")[0]


def sort_slow_first(items: list[pytest.Item]) -> None:
    """Sort for several workers, so that none runs a slow file alone at the end.

    The result does not depend on the previous order, except that the tests of a file keep theirs.
    """
    items.sort(key=lambda item: (-place_of(item.nodeid, FOLDERS), item.nodeid.partition("::")[0]))


def begin_elsewhere(nodes: Sequence[T], worker: int, workers: int) -> list[T]:
    """Return the files of a folder in the order in which one of several workers imports them.

    In a new checkout nothing is compiled. Each worker begins at another file and later finds the
    files that others have compiled; otherwise each worker would compile all of them.
    """
    first = len(nodes) * worker // workers
    return [*nodes[first:], *nodes[:first]]


def place_of(nodeid: str, folders: Sequence[str]) -> int:
    """Return the position of a test's folder; -1 if it is in none.

    Tests of ``SPREAD`` have the position after the last folder.
    """
    if nodeid.startswith(SPREAD):
        return len(folders)
    return next((n for n, folder in enumerate(folders) if nodeid.startswith(folder)), -1)
