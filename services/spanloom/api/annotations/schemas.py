"""Request and response models of annotations."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from spanloom.annotation.entries import plain_places
from spanloom.annotation.reading import ResolvedAnnotation
from spanloom.annotation.requests import Write
from spanloom.annotation.writing import MOST_ROWS
from spanloom.api.rows.columns import Sort, columns_of
from spanloom.core.annotation.marks import plain
from spanloom.core.model.annotation import MARK_FIELDS, Annotation

EXAMPLE_STEP = "00f067aa0ba902b7"
EXAMPLE_WRITE = "0b9f5f0e-6f0a-4f36-9e44-0a2b7e3f5c11"

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
    Field(ge=1, description="Version on the screen; absent: the current.", examples=[None]),
]


class Edit(BaseModel):
    """What changes of one annotation: the fields that are there."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    write_id: WriteId
    step_id: Annotated[str, Field(max_length=64, description="Empty: the whole trajectory.")] = ""
    base_revision: Annotated[
        int | None, Field(ge=0, description="What the client had seen; 0: nothing.")
    ] = None
    correctness: Text | None = None
    error_type: Text | None = None
    error_subtype: Text | None = None
    severity: Text | None = None
    rationale: str | None = None
    value: Annotated[dict[str, Any] | None, Field(description="What else the scheme asks for.")] = (
        None
    )
    is_deleted: Annotated[bool, Field(description="Take the annotation back.")] = False

    def write(self) -> Write:
        """Return the edit as a write; a null field clears the stored one."""
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
        Field(description="Where they come from.", examples=["human"]),
    ] = "human"
    group: Annotated[
        str,
        Field(max_length=100, description="What is undone together.", examples=["first pass"]),
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
    """One mark for all steps that have none."""

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


class AnnotationItem(BaseModel):
    """A current annotation and how it stands to the current version."""

    scheme: str
    annotator: str
    step_id: Annotated[str, Field(description="Empty: the whole trajectory.")]
    revision: int
    write_id: str
    base_revision: int
    group: str
    at: Annotated[str, Sort.MOMENT, Field(description="Milliseconds since the epoch.")]
    origin: str
    is_deleted: bool
    scheme_hash: str
    version: Annotated[int, Field(description="That it was made on.")]
    state: Literal["valid", "changed", "moved", "orphaned", "whole"]
    stands_at: Annotated[str, Field(description="The step that it is of now; empty: none.")]
    reason: Annotated[str, Field(description="Of a state other than valid.")]
    places: Annotated[
        list[tuple[int, int] | None],
        Sort.JSON,
        Field(
            description="Of `value.spans`, made on texts that have changed: where each stands now,"
            " start and end in UTF-16 units; null if its words are not there, or more than once.",
            examples=[[(26, 31), None]],
        ),
    ]
    quote: Annotated[str, Field(description="Name and beginning of the step then.")]
    correctness: str
    error_type: str
    error_subtype: str
    severity: str
    penalty: float
    rationale: str
    value: Annotated[dict[str, Any], Sort.JSON]


ANNOTATION_COLUMNS = columns_of(AnnotationItem)


class AnnotationList(BaseModel):
    """The annotations of a trajectory that the reader may see."""

    trace_id: str
    project: str
    version: Annotated[int, Field(description="The current one.")]
    withheld: Annotated[int, Field(description="Rows of others, in a queue that is blind.")]
    items: list[AnnotationItem]
    scores: Annotated[
        list[dict[str, Any]],
        Field(description="What each annotator's marks come to: those that count."),
    ]


def write_row(said: Annotation) -> dict[str, Any]:
    """Return an annotation without its state, as a dict, not a model: there may be very many."""
    mark = said.mark
    return {
        "scheme": said.slot.scheme,
        "annotator": said.slot.annotator,
        "step_id": said.slot.step_id,
        "revision": said.revision,
        "write_id": said.write_id,
        "base_revision": said.base_revision,
        "group": said.group,
        "at": str(said.at_us // 1_000),
        "origin": said.origin.value,
        "is_deleted": said.is_deleted,
        "scheme_hash": said.scheme_hash,
        "version": said.anchor.version,
        "quote": said.anchor.quote,
        **{name: getattr(mark, name) for name in MARK_FIELDS},
        "penalty": plain(said.penalty),
        "value": dict(mark.value),
    }


def shown(row: ResolvedAnnotation) -> dict[str, Any]:
    """Return an annotation with its state as a dict, in the shape of ``AnnotationItem``."""
    state, stands_at, reason = row.standing
    standing = {"state": state.value, "stands_at": stands_at, "reason": reason}
    return {**write_row(row.annotation), **standing, "places": plain_places(row)}
