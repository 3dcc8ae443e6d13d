"""The published JSON Schema of the canonical document, and an example of it."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

import orjson

if TYPE_CHECKING:
    from spanloom.core.formats.json_bytes import Json


@cache
def canonical_schema() -> Json:
    """Return the JSON Schema (draft 7) of the canonical document; do not change it."""
    return _load("canonical_schema.json")


@cache
def canonical_example() -> Json:
    """Return a small canonical document, for documentation; do not change it."""
    return _load("canonical_example.json")


def _load(name: str) -> Json:
    loaded: Json = orjson.loads(files("spanloom.core.formats").joinpath(name).read_bytes())
    return loaded
