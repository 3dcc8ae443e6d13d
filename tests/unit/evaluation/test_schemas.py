"""JSON Schemas are checked as jsonschema does, but with RE2's patterns and without a network."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import jsonschema
import pytest

from spanloom.evaluation.contract.errors import TooLargeError
from spanloom.evaluation.rules.schemas import UnreadableSchemaError, Work, check_schema, first_fault

SCHEMAS: list[tuple[dict[str, Any], Any]] = [
    ({"type": "object", "required": ["a"]}, {"a": 1}),
    ({"type": "object", "required": ["a"]}, {"b": 1}),
    ({"additionalProperties": False, "properties": {"a": {}}}, {"a": 1}),
    ({"additionalProperties": False, "properties": {"a": {}}}, {"b": 1}),
    ({"additionalProperties": {"type": "string"}}, {"b": 1}),
    ({"additionalProperties": False, "patternProperties": {"^x": {"type": "string"}}}, {"xy": "z"}),
    ({"additionalProperties": False, "patternProperties": {"^x": {"type": "string"}}}, {"xy": 1}),
    ({"additionalProperties": False, "patternProperties": {"^x": {}}}, {"y": 1}),
    ({"pattern": "^a+$"}, "aaa"),
    ({"pattern": "^a+$"}, "aab"),
    ({"uniqueItems": True}, [1, 1.0]),
    ({"uniqueItems": True}, [1, True]),
    ({"uniqueItems": True}, [{"a": 1, "b": 2}, {"b": 2, "a": 1}]),
    ({"uniqueItems": True}, ["a", "b"]),
    (
        {"$defs": {"n": {"properties": {"n": {"$ref": "#/$defs/n"}}}}, "$ref": "#/$defs/n"},
        {"n": {}},
    ),
    ({"$schema": "http://json-schema.org/draft-07/schema#", "items": [{"type": "string"}]}, [1]),
    ({"anyOf": [{"type": "string"}, {"minimum": 3}]}, 2),
    ({"enum": [1, "a"]}, "a"),
]


@pytest.mark.parametrize(("schema", "value"), SCHEMAS)
def test_faults_are_those_of_the_library(schema: dict[str, Any], value: Any) -> None:
    validator = jsonschema.validators.validator_for(schema, jsonschema.Draft202012Validator)
    check_schema(schema)
    assert (first_fault(schema, value, Work()) == "") is validator(schema).is_valid(value)


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#"},
        {"$ref": "http://127.0.0.1:9/schema.json"},
        {"$ref": "file:///etc/passwd"},
        {"type": 3},
        {"properties": 3},
        {"pattern": "(?=a)"},
        {"patternProperties": {"[": {}}},
        {"unevaluatedProperties": False},
        {"minimum": "x"},
    ],
)
@pytest.mark.parametrize("value", [{"a": 1}, "aaa", 7])
def test_a_schema_that_cannot_be_checked_is_told_and_raises_nothing_else(
    schema: dict[str, Any], value: object
) -> None:
    with suppress(UnreadableSchemaError, TooLargeError):  # no other error may come
        assert isinstance(first_fault(schema, value, Work()), str)


def test_a_pattern_that_explodes_is_linear() -> None:
    assert first_fault({"pattern": "^(a+)+$"}, "a" * 5_000 + "b", Work())


def test_many_items_take_work() -> None:
    with pytest.raises(TooLargeError):
        first_fault({"items": {"type": "string"}}, ["a"] * 60_000, Work())
