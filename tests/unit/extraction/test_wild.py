"""Inputs modelled on public reports are extracted correctly; see ``fixtures/wild``."""

from __future__ import annotations

import pytest
from tests.support.wild import faults, names


@pytest.mark.parametrize("name", names())
def test_input_comes_out_right(name: str) -> None:
    assert faults(name) == []
