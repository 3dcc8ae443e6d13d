"""Request and response models for scores, and the cursors for lists of scores."""

import time
from collections.abc import Mapping
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, JsonValue, model_validator

from spanloom.api.pages import DEFAULT_LIMIT, cursor_field, limit_field
from spanloom.api.query import Name, decode_position, demand, encode_cursor, fingerprint
from spanloom.api.schemas import EXAMPLE_TRACE, TraceId
from spanloom.core.formats.json_bytes import dump
from spanloom.core.model import score as scores
from spanloom.core.model.span import TraceKey
from spanloom.core.ports.annotations import BEFORE_ALL_SCORES, ScorePlace, ScoreQuery
from spanloom.core.records.score import ScoreItem
from spanloom.core.scoring.results import LONGEST_NAME


def encode_score_cursor(place: ScorePlace, question: str = "") -> str:
    """Encode a position and the fingerprint of its query as text that is safe in a URL."""
    return encode_cursor(place, question)


def decode_score_cursor(text: str, question: str = "") -> ScorePlace:
    """Return the position in a cursor.

    Raises ``InvalidQueryError`` if the cursor is invalid or belongs to another query.
    """
    return decode_position(text, question, _place)


def _place(project: str, trace_id: str, score_id: str) -> ScorePlace:
    place = ScorePlace(project, trace_id, score_id)
    demand(all(isinstance(part, str) for part in place))
    return place


Text = Annotated[str, Field(max_length=512)]
MetricName = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
FiniteNumber = Annotated[float, Field(allow_inf_nan=False)]
WAITS_US = 7 * 24 * 3600 * 1_000_000
"""Microseconds that a score waits for its trajectory before it is listed as an orphan."""
_EXAMPLE_CURSOR = encode_score_cursor(ScorePlace("default", EXAMPLE_TRACE, "00"))
MOST_TRACES, MOST_SOURCES = 200, 20
"""Maximum traces and maximum sources in one request."""


class ScoresQuery(BaseModel):
    """Which scores to list."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    project: Annotated[
        Name | None, Field(description="Only of this project.", examples=["default"])
    ] = None
    trace_id: Annotated[
        list[TraceId],
        Field(
            description="Only of these trajectories; repeat it for each.",
            max_length=MOST_TRACES,
            examples=[[EXAMPLE_TRACE]],
        ),
    ] = []
    target: Annotated[
        Literal["", scores.Target],
        Field(
            description="Only scores of whole trajectories, or only of steps.", examples=["step"]
        ),
    ] = ""
    orphan: Annotated[
        bool,
        Field(
            description="Only scores older than 7 days whose trajectory is not stored.",
            examples=[True],
        ),
    ] = False
    name: Annotated[
        str, Field(description="Only of this name.", max_length=LONGEST_NAME, examples=["potato"])
    ] = ""
    source: Annotated[
        list[Annotated[str, Field(max_length=50)]],
        Field(
            description="Only of these sources; repeat it for each.",
            max_length=MOST_SOURCES,
            examples=[["human"]],
        ),
    ] = []
    author: Annotated[
        str, Field(description="Only by this author.", max_length=LONGEST_NAME, examples=["ada"])
    ] = ""
    experiment: Annotated[
        str, Field(description="Only of this experiment.", max_length=512, examples=["trips"])
    ] = ""
    item: Annotated[
        str, Field(description="Only of the item with this key.", max_length=512, examples=["oslo"])
    ] = ""
    limit: Annotated[int, limit_field()] = DEFAULT_LIMIT
    cursor: Annotated[str | None, cursor_field(_EXAMPLE_CURSOR)] = None

    def store_query(self) -> ScoreQuery:
        """Return the query for the store."""
        filters = ScoreQuery(
            self.trace_id,
            self.name,
            self.source,
            self.author,
            self.target,
            self.experiment,
            self.item,
        )
        before_us = time.time_ns() // 1_000 - WAITS_US
        return filters._replace(orphans_before_us=before_us) if self.orphan else filters

    def place(self) -> ScorePlace:
        """Return the position after which the page starts; raises ``InvalidQueryError``."""
        if not self.cursor:
            return BEFORE_ALL_SCORES
        return decode_score_cursor(self.cursor, fingerprint(self))

    def cursor_after(self, score: scores.Score) -> str:
        """Return the cursor that starts after this score."""
        place = ScorePlace(score.key.project, score.key.trace_id, score.id)
        return encode_score_cursor(place, fingerprint(self))


_MOST_EVIDENCE = 20_000
_NEEDS: Mapping[scores.Target, str] = {
    "trajectory": "trace_id",
    "step": "step_id",
    "span": "step_id",
    "conversation": "conversation_id",
    "item": "item",
}
"""The field that identifies each target."""


class ScoreRequest(BaseModel):
    """A score to store."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    trace_id: Annotated[
        TraceId | Literal[""],
        Field(description="Empty for a conversation or an item.", examples=[EXAMPLE_TRACE]),
    ] = ""
    name: Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
    source: scores.SentSource = "api"
    author: Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
    target: scores.Target = "trajectory"
    step_id: Annotated[str, Field(max_length=64)] = ""
    conversation_id: Text = ""
    value: float | bool | str | None = None
    value_type: Annotated[
        scores.ValueType | None,
        Field(description="Inferred from `value`; required for a text that is not a category."),
    ] = None
    label: Annotated[
        str,
        Field(
            description="What a number or boolean means; without a value it is a category.",
            max_length=512,
        ),
    ] = ""
    passed: bool | None = None
    is_complete: bool = True
    status: scores.Status = "ok"
    error_code: Text = ""
    rationale: Annotated[str, Field(max_length=20_000)] = ""
    evidence: Annotated[list[dict[str, JsonValue]], Field(max_length=100)] = []
    evaluator_version: Text = ""
    config_hash: Text = ""
    rule_id: Text = ""
    experiment: Text = ""
    item: Text = ""
    repeat: Annotated[int, Field(ge=0, le=10_000)] = 0
    judged_version: Annotated[int, Field(ge=0, le=2**32 - 1)] = 0
    input_tokens: Annotated[int, Field(ge=0, le=2**53)] = 0
    output_tokens: Annotated[int, Field(ge=0, le=2**53)] = 0
    cost: Annotated[float | None, Field(allow_inf_nan=False)] = None
    view_fingerprint: Annotated[
        str,
        Field(description="Fingerprint of the contents that the evaluator read.", max_length=512),
    ] = ""
    coverage: Annotated[
        float | None,
        Field(description="The share of the run that was read.", ge=0, le=1, allow_inf_nan=False),
    ] = None
    cached: Annotated[
        bool,
        Field(description="Whether all answers of a model came from the cache."),
    ] = False
    metrics: Annotated[
        dict[MetricName, FiniteNumber],
        Field(description="Further numbers, by name.", max_length=100),
    ] = {}
    at: Annotated[
        int | None,
        Field(
            description="When it was made, in milliseconds since the epoch; by default now. Of "
            "two revisions of a score the later counts.",
            ge=0,
            le=2**43,
        ),
    ] = None
    is_deleted: bool = False

    @model_validator(mode="after")
    def _has_target(self) -> Self:
        needed = _NEEDS[self.target]
        if not getattr(self, needed):
            raise ValueError(f"{needed}: a target {self.target} needs it")
        if self.target in ("step", "span") and not self.trace_id:
            raise ValueError(f"trace_id: a target {self.target} needs it")
        if self.value_type is not None and self.value_type != self._typed()[0]:
            raise ValueError(f"value_type: the value is no {self.value_type}")
        if len(self._evidence) > _MOST_EVIDENCE:
            raise ValueError(f"evidence: at most {_MOST_EVIDENCE:,} bytes of JSON")
        return self

    def score(self, project: str, now_us: int) -> scores.Score:
        """Return the score to store."""
        kind, number, text = self._typed()
        converted = {"trace_id", "value", "value_type", "label", "at", "evidence"}
        return scores.Score(
            key=TraceKey(project, self.trace_id),
            revision=now_us if self.at is None else min(self.at * 1_000, now_us),
            value_type=kind,
            number=number,
            text=text,
            evidence=self._evidence,
            **self.model_dump(exclude=converted),
        )

    @property
    def _evidence(self) -> str:
        return dump(self.evidence).decode() if self.evidence else ""

    def _typed(self) -> scores.TypedValue:
        typed, wanted = scores.typed_value(self.value, self.label), self.value_type
        if typed.number is not None or wanted is None:
            return typed
        return typed if typed.text and wanted != "text" else typed._replace(value_type=wanted)


class ScoresRequest(BaseModel):
    """Scores to store."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    items: Annotated[
        list[ScoreRequest],
        Field(
            min_length=1,
            max_length=10_000,
            description="Sending the same score again makes a revision of it.",
            examples=[
                [{"trace_id": EXAMPLE_TRACE, "name": "helpful", "author": "judge", "value": 0.9}]
            ],
        ),
    ]


class ScoreList(BaseModel):
    """Scores, by project, trace and id."""

    items: list[ScoreItem]
    withheld: Annotated[
        int, Field(description="Number of scores of others withheld in a blind queue.")
    ]
    next_cursor: Annotated[str | None, Field(description="Null on the last page.")] = None


class WrittenScores(ScoreList):
    """Scores as stored."""

    waiting: Annotated[
        int,
        Field(description="Number of scores that wait for a trajectory that is not stored yet."),
    ] = 0
