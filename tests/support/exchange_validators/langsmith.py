"""Loads an example with LangSmith's own model."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.support.exchange_validators.chat import THOUGHTS
from tests.support.exchange_validators.openai import check_messages


def check(body: bytes) -> None:
    """Raise if the SDK could not upload the example, or would change it."""
    schemas = pytest.importorskip("langsmith.schemas", reason="langsmith is missing")
    row: dict[str, Any] = json.loads(body)
    given = {"reference_outputs" if k == "outputs" else k: v for k, v in row.items()}
    example = schemas.ExampleCreate(**given)
    dumped = json.loads(example.model_dump_json(by_alias=True, exclude_none=True))
    assert {k: dumped[k] for k in row} == row
    check_messages([*row["inputs"]["messages"], *row["outputs"]["messages"]], THOUGHTS)
