"""Models of responses that show one run, with examples: versions, rows, search results, graph."""

from typing import Annotated

from pydantic import BaseModel, Field

from spanloom.api.responses import answer, answer_of
from spanloom.api.schemas import EXAMPLE_TRACE
from spanloom.core.model.trajectory import Status
from spanloom.core.outline.view import Match, RunView, first_words
from spanloom.core.ports.annotations import KeptAt
from spanloom.core.ports.reading import StoredVersion
from spanloom.core.records.declared import Moment
from spanloom.core.records.span import SPAN

MAX_ROWS = 512
MAX_FOUND = 1_000

Version = Annotated[int, Field(description="Of the trajectory: grows with every change.")]
Row = Annotated[int, Field(description="Its number in the outline, from 0.")]


class VersionItem(BaseModel):
    """A version of a run that can be read."""

    version: Version
    is_newest: Annotated[
        bool,
        Field(description="Other versions were stored when they were annotated, without spans."),
    ]
    stored_at: Annotated[
        Moment, Field(description="Milliseconds since the epoch; when this copy was stored.")
    ]
    status: Annotated[Status | None, Field(description="Of the newest.")] = None
    extractor_version: Annotated[
        str | None, Field(description="Version of the extractor that built the newest.")
    ] = None
    span_count: Annotated[int | None, Field(description="Of the newest.")] = None

    @classmethod
    def of(cls, stored: StoredVersion) -> "VersionItem":
        """Return the newest version as a response model."""
        members = stored._asdict()
        return cls(is_newest=True, stored_at=members.pop("stored_at_ms"), **members)

    @classmethod
    def of_kept(cls, kept: KeptAt) -> "VersionItem":
        """Return an earlier version, stored for its annotations, as a response model."""
        return cls(version=kept.version, is_newest=False, stored_at=kept.at_us // 1000)


class VersionList(BaseModel):
    """The versions of a run, newest first."""

    trace_id: str
    items: list[VersionItem]


class RowItem(BaseModel):
    """One row of an outline, with the beginning of its text."""

    row: Row
    span_id: str
    step_id: Annotated[str | None, Field(description="The step that it counts for.")] = None
    name: str
    preview: Annotated[
        str, Field(description="The beginning of its output, or of its input, in one line.")
    ] = ""
    model: str = ""
    cost: Annotated[float | None, Field(description="US dollars.")] = None
    error: Annotated[str, Field(description="The beginning of the message of its failure.")] = ""

    @classmethod
    def of(cls, view: RunView, number: int) -> "RowItem":
        """Return the row with this number."""
        row, source = view.rows[number], view.sources[number]
        item = cls(row=number, span_id=row.id, step_id=row.step_id or None, name=row.name)
        if source is not None:
            item.preview, item.model = first_words(source.text), source.model
            item.cost, item.error = source.cost, source.error
        return item


class RowList(BaseModel):
    """Rows of one version of a run."""

    version: Version
    rows: Annotated[int, Field(description="How many the outline has.")]
    items: list[RowItem]


class FoundItem(BaseModel):
    """A row that contains a text."""

    row: Row
    part: Annotated[str, Field(description="`name`, `input`, `output` or `error`.")]
    snippet: str

    @classmethod
    def of(cls, found: Match) -> "FoundItem":
        """Return a search result as a response model."""
        return cls(row=found.row, part=found.part, snippet=found.snippet)


class FoundList(BaseModel):
    """The rows of one version of a run that contain a text."""

    version: Version
    items: list[FoundItem]
    truncated: Annotated[bool, Field(description="Whether more rows contain it than in this list.")]


class GraphNode(BaseModel):
    """A step, or all steps with one name of one agent."""

    id: str
    type: str
    name: str
    agent: str
    first_row: Row
    calls: int
    errors: int
    input_tokens: int
    output_tokens: int
    duration_ms: Annotated[int, Field(description="Of all calls together.")]


class GraphEdge(BaseModel):
    """Calls of one node by another, and handoffs by tools to an agent."""

    from_: Annotated[str, Field(alias="from")]
    to: str
    calls: int
    handoffs: Annotated[
        int, Field(description="Determined by the tools, which name the agent, not by times.")
    ]


class RunGraph(BaseModel):
    """The call graph of one version of a run."""

    version: Version
    nodes: list[GraphNode]
    edges: list[GraphEdge]
    is_aggregated: Annotated[bool, Field(description="Whether a node can be several steps.")]
    why: Annotated[str, Field(description="Why it is aggregated.")]


_SPAN = SPAN.example
_ROW = {
    "row": 0,
    "span_id": _SPAN["span_id"],
    "step_id": _SPAN["step_id"],
    "name": "weather",
    "preview": "Saturday: sunny, Sunday: heavy rain",
    "model": "",
    "cost": None,
    "error": "",
}
_NODE = {
    "id": _SPAN["span_id"],
    "type": "tool",
    "name": "weather",
    "agent": "travel_planner",
    "first_row": 4,
    "calls": 1,
    "errors": 0,
    "input_tokens": 0,
    "output_tokens": 0,
    "duration_ms": 500,
}
OUTLINE = answer_of(
    "Binary columns.",
    {"type": "string", "format": "binary"},
    "(bytes)",
    "application/vnd.spanloom.outline",
)
ROWS = answer("The rows.", "RowList", {"version": 1, "rows": 1, "items": [_ROW]})
FOUND = answer(
    "The progress.",
    "FoundList",
    {
        "version": 1,
        "items": [{"row": 4, "part": "output", "snippet": "Sunday: heavy rain"}],
        "truncated": False,
    },
)
GRAPH = answer(
    "The graph.",
    "RunGraph",
    {
        "version": 1,
        "nodes": [_NODE],
        "edges": [{"from": "00f067aa0ba902b7", "to": _SPAN["span_id"], "calls": 1, "handoffs": 0}],
        "is_aggregated": False,
        "why": "",
    },
)
VERSIONS = answer(
    "The versions.",
    "VersionList",
    {
        "trace_id": EXAMPLE_TRACE,
        "items": [
            {
                "version": 1,
                "is_newest": True,
                "status": "settled",
                "stored_at": "1715400004600",
                "extractor_version": "12",
                "span_count": 14,
            }
        ],
    },
)
