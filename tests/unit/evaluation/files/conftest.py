"""Replaces the kinds of evaluators by simple ones, for tests of the code that runs evaluators."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.stub_kinds import stub_kinds

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def kinds() -> Iterator[None]:
    with stub_kinds():
        yield
