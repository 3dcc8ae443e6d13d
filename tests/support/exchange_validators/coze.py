"""Checks trajectories by the schema that Coze Loop's documentation publishes.

Its evaluation also requires an id and a root. The exception is a trace without a root, for which
its own builder prints ``null``, as does Spanloom.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson
from jsonschema.validators import validator_for

from spanloom.core.formats.schema import coze_schema

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

FOLDER = Path(__file__).parents[2] / "fixtures" / "coze-loop"


def check(body: bytes) -> None:
    """Raise if the body is not a trajectory as the published builder prints it."""
    document = orjson.loads(body)
    _ours().validate(document)
    check_published({k: v for k, v in document.items() if (k, v) != ("root_step", None)})


def check_published(document: dict[str, Any]) -> None:
    """Raise if a document does not meet the published schema or has no id."""
    _published().validate(document)
    if not document["id"]:
        raise ValueError("it has no id")


@cache
def _ours() -> Validator:
    return _of(coze_schema())


@cache
def _published() -> Validator:
    return _of(json.loads((FOLDER / "schema.json").read_text("utf-8")))


def _of(schema: dict[str, Any]) -> Validator:
    kind = validator_for(schema)
    kind.check_schema(schema)
    return kind(schema)
