"""The request that starts an experiment."""

from __future__ import annotations

from typing import Annotated, Any, Self

import orjson
from pydantic import BaseModel, ConfigDict, Field, JsonValue, StrictInt, model_validator

from spanloom.core.model.experiment import MOST_REPEATS, MOST_RUNS
from spanloom.core.model.notation import MAX_WHERE_BYTES

_MOST_EVALUATORS = 100


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ChosenRuns(_Strict):
    """Which stored runs are judged; they are chosen once, when the experiment is started."""

    where: Annotated[
        str,
        Field(
            max_length=MAX_WHERE_BYTES,
            description="Runs that match this `where`; empty: all.",
            examples=['agent = "planner"'],
        ),
    ] = ""
    since: Annotated[
        str | None,
        Field(
            max_length=64,
            description="Begun at or after: `7d` ago, or a time.",
            examples=["7d"],
        ),
    ] = None
    until: Annotated[
        str | None,
        Field(max_length=64, description="Begun before; like `since`.", examples=["1d"]),
    ] = None
    limit: Annotated[
        StrictInt,
        Field(
            ge=1, le=MOST_RUNS, description="Maximum number of runs, newest first.", examples=[500]
        ),
    ] = 1_000


class ExperimentRequest(_Strict):
    """An experiment to start."""

    dataset: Annotated[
        str | None,
        Field(
            min_length=1,
            max_length=200,
            description="`NAME@VERSION`, or `NAME` for the last version: its items are judged.",
            examples=["trips@1"],
        ),
    ] = None
    runs: Annotated[ChosenRuns | None, Field(description="Stored runs, instead of a dataset.")] = (
        None
    )
    evaluators: Annotated[
        list[dict[str, JsonValue] | Annotated[str, Field(max_length=200)]] | None,
        Field(
            min_length=1,
            max_length=_MOST_EVALUATORS,
            description="In the form of `spanloom.evaluate`, or names of stored evaluators; by "
            "default the evaluators of the dataset.",
            examples=[[{"name": "path", "kind": "match", "mode": "in_order"}, "polite"]],
        ),
    ] = None
    repeats: Annotated[
        StrictInt,
        Field(ge=1, le=MOST_REPEATS, description="Number of tries of each item.", examples=[1]),
    ] = 1

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        if (self.dataset is None) == (self.runs is None):
            raise ValueError("one of dataset and runs is needed")
        if self.dataset is None and self.evaluators is None:
            raise ValueError("evaluators: at least one is needed")
        return self

    @property
    def text(self) -> str:
        """Canonical JSON, equal for equal requests."""
        members: dict[str, Any] = self.model_dump(mode="json", exclude_defaults=True)
        return orjson.dumps(members, option=orjson.OPT_SORT_KEYS).decode()

    @property
    def dataset_place(self) -> tuple[str, int | None]:
        """Name and version of the dataset; raises ``ValueError`` if the text is malformed."""
        name, sign, number = (self.dataset or "").partition("@")
        if not name or (sign and not (number.isascii() and number.isdecimal() and int(number))):
            raise ValueError("write NAME or NAME@VERSION, such as trips@1")
        return name, int(number) if sign else None
