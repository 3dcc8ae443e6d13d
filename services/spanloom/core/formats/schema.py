"""The published JSON Schemas of the canonical document and Coze's trajectory, and an example."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

import orjson

if TYPE_CHECKING:
    from spanloom.core.formats.json_bytes import Json


@cache
def canonical_schema() -> Json:
    """Return the JSON Schema (draft 7) for the canonical document; do not change it."""
    return _load("canonical_schema.json")


@cache
def parsed_schema() -> Json:
    """Return the schema for a document with parsed texts; do not change it."""
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


TITLE = "CozeTrajectory"
_REFERENCE = "#/definitions/"
_PREFIX = "Coze"
_ALWAYS_THERE = frozenset(
    {
        *("id", "parent_id", "type", "basic_info", "metrics_info", "steps", "code", "msg"),
        *("root_step", "agent_steps"),
        *("tool_error_rate", "model_error_rate", "tool_step_proportion"),
    }
)
"""Members that are written even if empty or zero."""
_NOT_HELD = frozenset({"if", "then", "else", "minimum"})
"""Keywords to drop: ``model_info`` may be missing, and 32-bit token counts may be negative."""

_OF_EXTRACTION = frozenset({"Extraction", "StepCounts", "DuplicateOf"})


@cache
def coze_schema() -> Json:
    """Return the schema for Coze's trajectory; its definitions are named ``Coze…``; read only."""
    loosened = _loosened(canonical_schema())
    assert isinstance(loosened, dict)  # noqa: S101  # as the canonical schema is
    definitions = loosened.pop("definitions")
    properties = loosened["properties"]
    del properties["extraction"]
    properties["root_step"] = {
        "description": "Null for a trace without a root.",
        "anyOf": [properties["root_step"], {"type": "null"}],
    }
    about = "The run as Coze Loop's published builder prints it; see `docs/api.md`."
    used = {_PREFIX + name: definitions[name] for name in definitions if name not in _OF_EXTRACTION}
    return {**loosened, "title": TITLE, "description": about, "definitions": used}


def _loosened(node: object) -> object:
    """Return a copy of a schema that requires only ``_ALWAYS_THERE`` and refers to ``Coze…``."""
    if isinstance(node, list):
        return [_loosened(item) for item in node]
    if not isinstance(node, dict):
        return node
    copy = {key: _loosened(value) for key, value in node.items() if key not in _NOT_HELD}
    if "required" in copy:
        copy["required"] = [name for name in node["required"] if name in _ALWAYS_THERE]
    if "$ref" in copy:
        copy["$ref"] = node["$ref"].replace(_REFERENCE, _REFERENCE + _PREFIX)
    return copy
