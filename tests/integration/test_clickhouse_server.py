"""The contract of the stores holds on a ClickHouse server."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.contract import hold_to_contract

if TYPE_CHECKING:
    from tests.support.served_store import ServedStore


@pytest.mark.slow
@pytest.mark.timeout(1000)
def test_the_whole_contract_holds(ready_server: ServedStore) -> None:
    """By default only ``test_trajectory_store.py`` runs on a server; this test runs all modules."""
    hold_to_contract(ready_server.url)
