"""Models for annotations: requests, responses, and rows of tables."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from spanloom.annotation.entries import plain_places, write_row
from spanloom.annotation.reading import ResolvedAnnotation
from spanloom.annotation.requests import Write
from spanloom.annotation.writing import MOST_ROWS
from spanloom.api.rows.columns import columns_of
from spanloom.core.model.annotation import MARK_FIELDS
from spanloom.core.records.annotation import ANNOTATION, AnnotationItem
from spanloom.core.records.declared import Moment

Json = Mapping[str, Any]  # as in JSON

EXAMPLE_STEP: str = ANNOTATION.example["step_id"]
EXAMPLE_WRITE: str = ANNOTATION.example["write_id"]

Text = Annotated[str, Field(max_length=512)]
WriteId = Annotated[
    str,
    Field(
        min_length=8,
        max_length=100,
        pattern=r"^[\x21-\x7e]+$",
        description="Chosen by the client: sent again, the same write changes nothing.",
        examples=[EXAMPLE_WRITE],
    ),
]
SchemeName = Annotated[
    str,
    Field(
        min_length=1,
        max_length=200,
        description="Name of the scheme.",
        examples=["step_evaluation"],
    ),
]
SeenVersion = Annotated[
    int | None,
    Field(
        ge=1,
        description="The version that the annotator sees; absent: the current version.",
        examples=[None],
    ),
]


class Edit(BaseModel):
    """A change of one annotation: only the given fields change."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    write_id: WriteId
    step_id: Annotated[str, Field(max_length=64, description="Empty: the whole trajectory.")] = ""
    base_revision: Annotated[
        int | None, Field(ge=0, description="The revision that the client saw; 0: none.")
    ] = None
    correctness: Text | None = None
    error_type: Text | None = None
    error_subtype: Text | None = None
    severity: Text | None = None
    rationale: str | None = None
    value: Annotated[
        dict[str, Any] | None, Field(description="Answers to further questions of the scheme.")
    ] = None
    is_deleted: Annotated[bool, Field(description="Remove the annotation.")] = False

    def write(self) -> Write:
        """Return the edit as a ``Write``; a field that is null clears the stored value."""
        fields = {name: getattr(self, name) for name in self.model_fields_set}
        edit = {name: fields[name] for name in (*MARK_FIELDS, "value") if name in fields}
        return Write(self.step_id, self.write_id, edit, self.base_revision, self.is_deleted)


class AnnotationsRequest(BaseModel):
    """Annotations to write, all or none."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    scheme: SchemeName
    version: SeenVersion = None
    origin: Annotated[
        Literal["human", "adjudication", "model", "rule"],
        Field(description="Origin of the annotations.", examples=["human"]),
    ] = "human"
    group: Annotated[
        str,
        Field(
            max_length=100,
            description="Name of a group of writes that are undone together.",
            examples=["first pass"],
        ),
    ] = ""
    items: Annotated[
        list[Edit],
        Field(
            min_length=1,
            max_length=MOST_ROWS,
            description="In their order.",
            examples=[
                [{"write_id": EXAMPLE_WRITE, "step_id": EXAMPLE_STEP, "correctness": "correct"}]
            ],
        ),
    ]


class BulkRequest(BaseModel):
    """One mark for all steps that have none yet."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    scheme: SchemeName
    write_id: WriteId
    version: SeenVersion = None
    below: Annotated[
        str,
        Field(max_length=64, description="This step and all below it; empty: all.", examples=[""]),
    ] = ""
    correctness: Annotated[Text, Field(description="The option.", examples=["correct"])]


class UndoRequest(BaseModel):
    """Writes to undo."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    scheme: SchemeName
    write_id: WriteId
    group: Annotated[
        str,
        Field(
            min_length=1,
            max_length=100,
            description="The group of the writes, or the one write id.",
            examples=["first pass"],
        ),
    ]


ANNOTATION_COLUMNS = columns_of(AnnotationItem)


class AnnotationList(BaseModel):
    """The annotations of a trajectory that the reader may see."""

    trace_id: str
    project: str
    version: Annotated[int, Field(description="The current version.")]
    withheld: Annotated[
        int, Field(description="Number of rows of others withheld in a blind queue.")
    ]
    items: list[AnnotationItem]
    scores: Annotated[
        list[dict[str, Any]],
        Field(description="The score of each annotator, from the marks that count."),
    ]


def shown(row: ResolvedAnnotation) -> dict[str, Any]:
    """Return an annotation with its state as a dict with the members of ``AnnotationItem``."""
    state, stands_at, reason = row.standing
    standing = {"state": state.value, "stands_at": stands_at, "reason": reason}
    return {**write_row(row.annotation), **standing, "places": plain_places(row)}


class AnnotationRow(BaseModel):
    """One annotator's annotation of one step, or of the whole run, as a row of a table."""

    project: str
    trace_id: str
    scheme: str
    scheme_hash: str
    annotator: str
    origin: str
    step_id: Annotated[str, Field(description="Empty: of the run as a whole.")]
    step_index: int | None
    correctness: str
    error_type: str
    error_subtype: str
    severity: str
    rationale: str
    value: Annotated[dict[str, Any] | None, Field(description="Further answers.")]
    version: Annotated[int, Field(description="Of the trajectory that was judged.")]
    revision: int | None
    at: Moment | None
    state: str
    stands_at: Annotated[
        str, Field(description="The step that it belongs to in the current version.")
    ]
    score: Annotated[float | None, Field(description="The score from all marks of the annotator.")]
    score_complete: bool | None


COLUMNS = columns_of(AnnotationRow)


def rows_of(entry: Json) -> Iterator[Json]:
    """Yield the rows of an export entry: the rows of its steps, then the row of the whole run."""
    shared = {**dict.fromkeys(COLUMNS), **dict.fromkeys(_TEXTS, ""), **entry}
    for step in entry["steps"]:
        yield {**shared, "value": None, **step}
    if whole := entry.get("value"):
        texts = {name: whole.get(name, "") for name in MARK_FIELDS}
        rest = {name: said for name, said in whole.items() if name not in texts}
        yield {**shared, **texts, "value": rest or None}


_TEXTS = (*MARK_FIELDS, "step_id", "state", "stands_at")
