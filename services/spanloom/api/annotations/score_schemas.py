"""Request and response models of scores, and the cursors of their list."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from spanloom.api.query import Name, decode_position, demand, encode_cursor, fingerprint
from spanloom.api.schemas import DEFAULT_LIMIT, EXAMPLE_TRACE, MAX_LIMIT, TraceId
from spanloom.core.model import score as scores
from spanloom.core.model.span import TraceKey
from spanloom.core.ports.annotations import BEFORE_ALL_SCORES, ScorePlace, ScoreQuery
from spanloom.core.records.score import ScoreItem


def encode_score_cursor(place: ScorePlace, question: str = "") -> str:
    """Encode a position and the fingerprint of its query as text that is safe in a URL."""
    return encode_cursor(place, question)


def decode_score_cursor(text: str, question: str = "") -> ScorePlace:
    """Return the position; raises ``InvalidQueryError`` if it is invalid or of another query."""
    return decode_position(text, question, _place)


def _place(project: str, trace_id: str, score_id: str) -> ScorePlace:
    place = ScorePlace(project, trace_id, score_id)
    demand(all(isinstance(part, str) for part in place))
    return place


Text = Annotated[str, Field(max_length=512)]
MOST_TRACES, MOST_SOURCES = 200, 20
"""Maximum of values in one request: the traces of one page of a list, and all sources."""


class ScoresQuery(BaseModel):
    """Which scores to list."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    project: Annotated[
        Name | None, Field(description="Only of this project.", examples=["default"])
    ] = None
    trace_id: Annotated[
        list[TraceId],
        Field(
            description="Only of these trajectories: given once for each.",
            max_length=MOST_TRACES,
            examples=[[EXAMPLE_TRACE]],
        ),
    ] = []
    target: Annotated[
        Literal["", "trajectory", "step", "conversation"],
        Field(description="Only of trajectories as a whole, or only of steps.", examples=["step"]),
    ] = ""
    name: Annotated[
        str, Field(description="Only of this name.", max_length=200, examples=["potato"])
    ] = ""
    source: Annotated[
        list[Annotated[str, Field(max_length=50)]],
        Field(
            description="Only of these sources: given once for each.",
            max_length=MOST_SOURCES,
            examples=[["human"]],
        ),
    ] = []
    author: Annotated[
        str, Field(description="Only by this author.", max_length=200, examples=["ada"])
    ] = ""
    limit: Annotated[
        int, Field(ge=1, le=MAX_LIMIT, description="The most items to give.", examples=[50])
    ] = DEFAULT_LIMIT
    cursor: Annotated[
        str | None,
        Field(
            description="`next_cursor` of the page before; the other parameters as there.",
            max_length=4096,
            examples=[encode_score_cursor(ScorePlace("default", EXAMPLE_TRACE, "00"))],
        ),
    ] = None

    def asked(self) -> ScoreQuery:
        """Return the query for the store."""
        return ScoreQuery(self.trace_id, self.name, self.source, self.author, self.target)

    def place(self) -> ScorePlace:
        """Return the position after which the page starts; raises ``InvalidQueryError``."""
        if not self.cursor:
            return BEFORE_ALL_SCORES
        return decode_score_cursor(self.cursor, fingerprint(self))

    def cursor_behind(self, score: scores.Score) -> str:
        """Return the cursor of the page after a score."""
        place = ScorePlace(score.key.project, score.key.trace_id, score.id)
        return encode_score_cursor(place, fingerprint(self))


class ScoreRequest(BaseModel):
    """A score to store."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    trace_id: TraceId
    name: Annotated[str, Field(min_length=1, max_length=200)]
    source: Literal["model", "rule", "llm", "code", "api"] = "api"
    author: Annotated[str, Field(min_length=1, max_length=200)]
    target: Literal["trajectory", "step"] = "trajectory"
    step_id: Annotated[str, Field(max_length=64)] = ""
    value: float | bool | str | None = None
    passed: bool | None = None
    status: Literal["ok", "na", "error"] = "ok"
    error_code: Text = ""
    rationale: Annotated[str, Field(max_length=20_000)] = ""
    evaluator_version: Text = ""
    config_hash: Text = ""
    experiment: Text = ""
    item: Text = ""
    repeat: Annotated[int, Field(ge=0, le=10_000)] = 0
    judged_version: Annotated[int, Field(ge=0, le=2**32 - 1)] = 0
    is_deleted: bool = False

    def score(self, project: str, at_us: int) -> scores.Score:
        """Return the score to store."""
        kind, number, text = _typed(self.value)
        plain = self.model_dump(exclude={"trace_id", "value"})
        return scores.Score(
            key=TraceKey(project, self.trace_id),
            revision=at_us,
            value_type=kind,
            number=number,
            text=text,
            **plain,
        )


class ScoresRequest(BaseModel):
    """Scores to store."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    items: Annotated[
        list[ScoreRequest],
        Field(
            min_length=1,
            max_length=10_000,
            description="The same score again is a revision of it.",
            examples=[
                [{"trace_id": EXAMPLE_TRACE, "name": "helpful", "author": "judge", "value": 0.9}]
            ],
        ),
    ]


class ScoreList(BaseModel):
    """Scores, by project, trace and id."""

    items: list[ScoreItem]
    withheld: Annotated[int, Field(description="Of others, in a queue that is blind.")]
    next_cursor: Annotated[str | None, Field(description="Null: there are no more.")] = None


def _typed(value: float | bool | str | None) -> tuple[str, float | None, str]:
    if isinstance(value, bool):
        return "boolean", float(value), ""
    if isinstance(value, (int, float)):
        return "number", value, ""
    return ("none", None, "") if value is None else ("category", None, value)
