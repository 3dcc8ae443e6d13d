"""Annotations as table rows: one for each annotated step, and one for the run as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, Field

from spanloom.api.rows.columns import columns_of
from spanloom.core.model.annotation import MARK_FIELDS
from spanloom.core.records.declared import Moment  # noqa: TC001  # pydantic reads it

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    Json = Mapping[str, Any]  # as in JSON


class AnnotationRow(BaseModel):
    """What one annotator says of one step."""

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
    value: Annotated[dict[str, Any] | None, Field(description="What else was said.")]
    version: Annotated[int, Field(description="Of the trajectory that was judged.")]
    revision: int | None
    at: Moment | None
    state: str
    stands_at: Annotated[str, Field(description="The step that it stands at now.")]
    score: Annotated[float | None, Field(description="What all of the annotator's marks come to.")]
    score_complete: bool | None


COLUMNS = columns_of(AnnotationRow)


def rows_of(entry: Json) -> Iterator[Json]:
    """Yield the rows of an export entry: those of its steps, then that of the whole run."""
    shared = {**dict.fromkeys(COLUMNS), **dict.fromkeys(_TEXTS, ""), **entry}
    for step in entry["steps"]:
        yield {**shared, "value": None, **step}
    if whole := entry.get("value"):
        texts = {name: whole.get(name, "") for name in MARK_FIELDS}
        rest = {name: said for name, said in whole.items() if name not in texts}
        yield {**shared, **texts, "value": rest or None}


_TEXTS = (*MARK_FIELDS, "step_id", "state", "stands_at")
