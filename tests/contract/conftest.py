"""One suite, every store; tests share them and keep apart by project."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from spanloom.core.model.span import TraceKey

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanloom.core.ports.store import Store


@pytest.fixture(params=["memory", "clickhouse"])
def store(request: pytest.FixtureRequest) -> Store:
    found: Store = request.getfixturevalue(f"{request.param}_store")
    return found


@pytest.fixture
def key(new_project: Callable[[], str]) -> TraceKey:
    """A trace nobody has sent."""
    project = new_project()
    return TraceKey(project, project.encode().hex().rjust(32, "a")[-32:])
