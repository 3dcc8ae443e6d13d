"""The golden files, and the service whose responses most of them record."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from tests.conftest import _starter
from tests.support.golden_store import GoldenService, start_golden_service
from tests.support.goldens import Goldens

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that rewrites the files."""
    parser.addoption("--rewrite", action="store_true", help="Rewrite the golden files.")


@pytest.fixture(scope="session")
def goldens(request: pytest.FixtureRequest) -> Goldens:
    """Return the golden files."""
    return Goldens(request.config.getoption("rewrite", default=False))


@pytest.fixture(scope="session")
def golden_service(
    tmp_path_factory: pytest.TempPathFactory, made_store: Path
) -> Iterator[GoldenService]:
    """Yield one service for all tests: its runs, annotations and scores are the same every time."""
    folder = tmp_path_factory.mktemp("golden")
    with contextmanager(_starter)(folder, made_store) as start:
        yield start_golden_service(start, folder)
