"""Converts annotations to rows and back, and leaves out the rows of deleted traces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

import orjson

from spanloom.core.formats.json_bytes import dump
from spanloom.core.model.annotation import Anchor, Annotation, Mark, Origin, Slot
from spanloom.core.model.span import TraceKey

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from contextlib import AbstractContextManager

    from spanloom.storage.engine.lane import Lane
    from spanloom.storage.engine.parameters import Row


def to_row(said: Annotation) -> dict[str, object]:
    """Return an annotation as column name → value."""
    key, scheme, annotator, step_id = said.slot
    anchor, mark = said.anchor, said.mark
    return {
        "Project": key.project,
        "TraceId": key.trace_id,
        "Scheme": scheme,
        "Annotator": annotator,
        "StepId": step_id,
        "Revision": said.revision,
        "WriteId": said.write_id,
        "BaseRevision": said.base_revision,
        "AtUnixMicro": said.at_us,
        "Origin": said.origin.value,
        "UndoGroup": said.group,
        "IsDeleted": said.is_deleted,
        "SchemeHash": said.scheme_hash,
        "Version": anchor.version,
        "StepHash": anchor.step_hash,
        "AnchorAgent": anchor.agent_id,
        "AnchorOrdinal": anchor.ordinal,
        "AnchorType": anchor.step_type,
        "AnchorAgentName": anchor.agent_name,
        "AnchorQuote": anchor.quote,
        "Correctness": mark.correctness,
        "ErrorType": mark.error_type,
        "ErrorSubtype": mark.error_subtype,
        "Severity": mark.severity,
        "Penalty": said.penalty,
        "Rationale": mark.rationale,
        "Value": dump(dict(mark.value)).decode(),
    }


def from_row(row: Row) -> Annotation:
    """Return the annotation in a row of the queries in this folder."""
    key = TraceKey(row.Project, row.TraceId)
    anchor = Anchor(
        row.Version,
        row.StepHash,
        row.AnchorAgent,
        row.AnchorOrdinal,
        row.AnchorType,
        row.AnchorAgentName,
        row.AnchorQuote,
    )
    value = orjson.loads(row.Value) if row.Value else {}
    mark = Mark(
        row.Correctness, row.ErrorType, row.ErrorSubtype, row.Severity, row.Rationale, value
    )
    return Annotation(
        slot=Slot(key, row.Scheme, row.Annotator, row.StepId),
        revision=row.Revision,
        write_id=row.WriteId,
        base_revision=row.BaseRevision,
        at_us=row.AtUnixMicro,
        origin=Origin(row.Origin),
        scheme_hash=row.SchemeHash,
        anchor=anchor,
        mark=mark,
        penalty=row.Penalty,
        group=row.UndoGroup,
        is_deleted=bool(row.IsDeleted),
    )


T = TypeVar("T")


def living(lane: Lane, rows: Sequence[T], key_of: Callable[[T], TraceKey]) -> Sequence[T]:
    """Return the rows whose traces are not deleted."""
    deleted = lane.hiding.deleted_among(lane, {key_of(row) for row in rows})
    return [row for row in rows if key_of(row) not in deleted] if deleted else rows


def living_page(
    lane: Lane,
    read: Callable[[T | None], Sequence[T]],
    key_of: Callable[[T], TraceKey],
    limit: int,
) -> Sequence[T]:
    """Return up to ``limit`` rows; ``read`` returns that many after a row, fewer at the end."""
    found: list[T] = []
    last: T | None = None
    while len(found) < limit:
        page = read(last)
        found += living(lane, page, key_of)
        if len(page) < limit:
            break
        last = page[-1]
    return found[:limit]


class Announcing(Protocol):
    """The part of the change feed that annotations, scores and queues need."""

    def telling(self, keys: Iterable[TraceKey]) -> AbstractContextManager[None]:
        """See ``AnnotationStore.telling``."""
