"""Tests are marked with their tier of cost, and a unit test that costs more fails."""

from __future__ import annotations

import socket
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from tests.support import programs
from tests.support.tiers import NotAUnitTestError, tier_of

from spanloom.storage.store import open_store

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.mark.parametrize(
    "start",
    [
        lambda: subprocess.Popen([sys.executable, "--version"]),
        lambda: programs.run("-c", "pass"),
        lambda: socket.socket().bind(("127.0.0.1", 0)),
        lambda: open_store("chdb:///nowhere/store"),
    ],
)
def test_a_unit_test_starts_nothing_and_opens_no_store(start: Callable[[], object]) -> None:
    with pytest.raises(NotAUnitTestError, match="mark it"):
        start()


def test_fixtures_and_stores_decide(request: pytest.FixtureRequest) -> None:
    assert tier_of(request.node) == "unit"
    for used, tier in (("page", "page"), ("run_spanloom", "service"), ("store_url", "engine")):
        request.node.fixturenames.append(used)
        assert tier_of(request.node) == tier
        request.node.fixturenames.remove(used)
