"""Fixtures for tests of several folders."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.served_feed import ServedFeed


@pytest.fixture
def served() -> Iterator[ServedFeed]:
    """Start a service that announces changes, yield it, and stop it at the end."""
    from tests.support.served_feed import ServedFeed  # noqa: PLC0415  # it takes a second to load

    made = ServedFeed()
    yield made
    made.server.stop(1)
