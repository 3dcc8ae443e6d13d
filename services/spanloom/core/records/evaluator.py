"""The record for a stored evaluator with its versions."""

from typing import Annotated, Any

from pydantic import Field

from spanloom.core.records.declaration import Declaration
from spanloom.core.records.declared import Example, From, Moment
from spanloom.core.records.record import Record

EXAMPLE_EVALUATOR = "path"
EXAMPLE_CONFIG = {"name": EXAMPLE_EVALUATOR, "kind": "match", "mode": "in_order"}
EXAMPLE_HASH = "6c8a1b5e0d4f2c3b9a7e8d6f5c4b3a291807f6e5d4c3b2a190887766554433f1"


class EvaluatorVersionItem(Record):
    """A version of an evaluator, which never changes."""

    version: Annotated[int, Field(description="Its number, from 1."), Example(1)]
    config_hash: Annotated[
        str,
        Field(description="SHA-256 of kind and configuration; equal if both are equal."),
        Example(EXAMPLE_HASH),
    ]
    put_by: Annotated[
        str, Field(description="Who stored it, as the client named them."), Example("ada")
    ]
    put_at: Annotated[
        Moment,
        Field(description="Milliseconds since the epoch."),
        From(lambda version: version.at_us // 1_000),
        Example("1769860800000"),
    ]


class EvaluatorItem(Record):
    """A stored evaluator; its last version counts."""

    name: Annotated[str, Example(EXAMPLE_EVALUATOR)]
    project: Annotated[str, Example("default")]
    kind: Annotated[str, Field(description="Such as `match`."), Example("match")]
    config: Annotated[
        dict[str, Any],
        Field(description="In the form of `spanloom.evaluate`."),
        Example(EXAMPLE_CONFIG),
    ]
    versions: Annotated[
        list[EvaluatorVersionItem], Field(description="Ordered by number."), From(None)
    ]


class EvaluatorList(Record):
    """The evaluators of a project, by name."""

    items: list[EvaluatorItem]


EVALUATOR = Declaration(EvaluatorItem)
