"""Validates a document of Coze Loop by its schema and by the rule of its ``IsValid``."""

from __future__ import annotations

import json

from jsonschema import Draft7Validator

from spanloom.core.formats.schema import coze_schema

VALIDATOR = Draft7Validator(coze_schema())


def check(body: bytes) -> None:
    """Raise unless the body is a document that Coze Loop's builder could have printed."""
    document = json.loads(body)
    VALIDATOR.validate(document)
    assert document["id"]
    assert "root_step" in document
