"""Fixtures with the published examples of other systems."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

FIXTURES = Path(__file__).parents[2] / "fixtures"


@pytest.fixture
def coze_loop_example() -> dict[str, Any]:
    """The example trajectory in Coze Loop's documentation (``fixtures/coze-loop/README.md``)."""
    loaded: dict[str, Any] = json.loads((FIXTURES / "coze-loop/example.json").read_text("utf-8"))
    return loaded


@pytest.fixture
def snorkel_example() -> list[dict[str, Any]]:
    """The example traces in Snorkel's documentation (``fixtures/snorkel/README.md``)."""
    loaded: list[dict[str, Any]] = json.loads(
        (FIXTURES / "snorkel/example.json").read_text("utf-8")
    )
    return loaded
