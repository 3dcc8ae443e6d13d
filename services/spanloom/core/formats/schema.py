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
def parsed_schema() -> Json:
    """Return the schema of the document with parsed texts; do not change it."""
    text = orjson.dumps(canonical_schema()).replace(b"#/definitions/", b"#/definitions/Parsed")
    schema: Json = orjson.loads(text)
    definitions = schema["definitions"]
    for definition in definitions.values():
        fields = definition.get("properties", {})
        fields |= {name: _ANY_JSON for name in ("input", "output") if name in fields}
    named = {f"Parsed{name}": definition for name, definition in definitions.items()}
    return {**schema, "title": "ParsedTrajectory", "definitions": named}


_ANY_JSON = {"description": "Text, or what the text held as JSON."}


@cache
def canonical_example() -> Json:
    """Return a small canonical document, for documentation; do not change it."""
    return _load("canonical_example.json")


def _load(name: str) -> Json:
    loaded: Json = orjson.loads(files("spanloom.core.formats").joinpath(name).read_bytes())
    return loaded
