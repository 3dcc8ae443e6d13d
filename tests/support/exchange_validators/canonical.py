"""Validates a canonical document by the published schema."""

from __future__ import annotations

import json

from jsonschema import Draft7Validator

from spanloom.core.formats.schema import canonical_schema

VALIDATOR = Draft7Validator(canonical_schema())


def check(body: bytes) -> None:
    """Raise unless the body is a canonical document."""
    VALIDATOR.validate(json.loads(body))
