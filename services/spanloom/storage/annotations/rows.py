"""Annotations as rows of their table, and back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson

from spanloom.core.formats.json_bytes import dump
from spanloom.core.model.annotation import Anchor, Annotation, Mark, Origin, Slot
from spanloom.core.model.span import TraceKey

if TYPE_CHECKING:
    from spanloom.storage.engine.answers import Row


def to_row(said: Annotation) -> dict[str, object]:
    """Return an annotation by the names of its columns."""
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
    """Return the annotation of a row of the queries beside this file."""
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
