"""The cost of a test as a marker: ``unit``, ``engine``, ``service``, ``page`` or ``faults``.

The fixtures of a test decide, or the folder ``tests/faults``, or an existing marker. A unit test
that starts a program, listens on a port or opens a store fails.
"""

from __future__ import annotations

import socket
import subprocess
from contextlib import contextmanager
from functools import wraps
from typing import TYPE_CHECKING, ParamSpec, TypeVar

import clickhouse_connect

from spanloom.storage.engine import connect

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import pytest

P = ParamSpec("P")
R = TypeVar("R")
TIERS: Mapping[str, frozenset[str]] = {
    "page": frozenset({"browser", "context", "page", "page_with_a_clock", "modules"}),
    "service": frozenset(
        {
            *("start_spanloom", "start_shared_spanloom", "run_spanloom", "golden_service"),
            *("made_server", "ready_server", "server_store"),
        }
    ),
    "engine": frozenset({"made_store", "store_url", "clickhouse_store"}),
}
"""The fixtures of each tier, the costliest first; a test with none of them is ``unit``."""
PARAMETERS = {"clickhouse": "engine", "server": "service"}
"""The tiers of parameters that are stores."""
NAMES = ("unit", "engine", "service", "page", "faults")

_running = [""]
"""The tier of the running test."""


def mark_tiers(items: Sequence[pytest.Item]) -> None:
    """Add a marker to every test that has none."""
    for item in items:
        if not any(item.get_closest_marker(name) for name in NAMES):
            item.add_marker(tier_of(item))


def tier_of(item: pytest.Item) -> str:
    """Return the name of the marker by folder, fixtures and parameters."""
    if "/tests/faults/" in item.path.as_posix():
        return "faults"
    fixtures = set(getattr(item, "fixturenames", ()))
    parameters = getattr(getattr(item, "callspec", None), "params", {}).values()
    stores = {PARAMETERS[one] for one in parameters if isinstance(one, str) and one in PARAMETERS}
    found = (name for name, own in TIERS.items() if own & fixtures or name in stores)
    return next(found, "unit")


@contextmanager
def running(item: pytest.Item) -> Iterator[None]:
    """Remember the tier of the test while it runs."""
    _running[0] = next((name for name in NAMES if item.get_closest_marker(name)), "")
    try:
        yield
    finally:
        _running[0] = ""


class NotAUnitTestError(BaseException):
    """Raised if a unit test does something that only costlier tiers may do.

    It is not an ``Exception``, because the code under test handles those.
    """


def refuse_in_unit(cause: str) -> None:
    """Raise ``NotAUnitTestError`` if a unit test is running."""
    if _running[0] == "unit":
        raise NotAUnitTestError(f"a unit test {cause}: mark it pytest.mark.engine or service")


def watch_tiers() -> None:
    """Make unit tests fail that start a program, listen on a port or open a store."""
    for place, name, cause in (
        (subprocess.Popen, "__init__", "starts a program"),
        (socket.socket, "bind", "listens on a port"),
        (clickhouse_connect, "get_client", "opens a store"),
        (connect, "connect_embedded", "opens a store"),
    ):
        setattr(place, name, _refusing(getattr(place, name), cause))


def _refusing(call: Callable[P, R], cause: str) -> Callable[P, R]:
    """Return a function that fails in a unit test, and otherwise calls ``call``."""

    @wraps(call)
    def refusing(*args: P.args, **kwargs: P.kwargs) -> R:
        refuse_in_unit(cause)
        return call(*args, **kwargs)

    return refusing
