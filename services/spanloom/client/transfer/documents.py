"""Converts canonical documents into spans from which the service restores the same document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import orjson
from pydantic import ValidationError

from spanloom.client.models import Trajectory
from spanloom.core.conventions.imported import SCOPE
from spanloom.core.document import EXTRACTION, OF_THE_RUN, ROOT, Document
from spanloom.core.errors import InvalidRequestError
from spanloom.core.extraction.restore import restore_trajectory
from spanloom.core.formats.canonical import encode_document
from spanloom.core.formats.imported import carry, find_difference, find_loss, span_json
from spanloom.core.formats.readers import EachAlone
from spanloom.core.model.span import TraceKey
from spanloom.core.model.tree import SpanTree

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.formats.json_bytes import Json
    from spanloom.core.model.span import Span

MAX_VALUE_BYTES = 8 * 1024 * 1024
"""A receiver truncates longer values."""
_DIALECT = "imported"
_BY_COZE = "it has no `extraction`, so it is not canonical; as coze it can be read"


Group: TypeAlias = "dict[str, Any]"  # parsed JSON
"""An item of ``resourceSpans``."""


class Run(NamedTuple):
    """A run that a file contains as a canonical document."""

    project: str
    trace_id: str
    document: Json
    spans: Sequence[Span]
    """The spans from which the document can be restored."""


def is_document(value: object) -> bool:
    """Return whether a value looks like a canonical document, valid or not.

    A document without ``extraction`` is from Coze Loop.
    """
    return isinstance(value, dict) and ROOT in value and EXTRACTION in value


def read_run(document: Json, project: str | None) -> Run:
    """Return the run of a document, moved into ``project`` if that is set.

    Raises ``InvalidRequestError`` with the position if it is not a canonical document or would not
    be restored unchanged.
    """
    if EXTRACTION not in document:
        raise InvalidRequestError(_BY_COZE)
    try:
        Trajectory.model_validate(document)
    except ValidationError as error:
        raise InvalidRequestError(of_first(error)) from error
    view = Document(document)
    run = Run(project or view.extraction.project, view.id, document, carry(document))
    _check_lengths(run.spans)
    _check_restored(run)
    return run


def groups_of(run: Run) -> Sequence[Group]:
    """Return the spans of a run as items of OTLP's ``resourceSpans``."""
    spans = [span_json(span) for span in run.spans]
    return [{"scopeSpans": [{"scope": {"name": SCOPE}, "spans": spans}]}]


CANONICAL = EachAlone(is_document, lambda document, _: [document])


class StoredState(NamedTuple):
    """Whether a service already has the document of a run, or another version that blocks it."""

    is_stored: bool = False
    conflict: str = ""
    """The reason why the document may not be sent; empty if it may be sent."""


def compare(run: Run, stored: Mapping[str, object] | None) -> StoredState:
    """Compare a run with its stored document, if there is one.

    A copy restored from a document never replaces spans that the service received. A document whose
    import was interrupted is completed.
    """
    if stored is None or _is_part(stored):
        return StoredState()
    ours, theirs = ({k: doc.get(k) for k in OF_THE_RUN} for doc in (run.document, stored))
    place = find_difference(ours, theirs)
    if place is None:
        return StoredState(is_stored=True)
    return StoredState(
        conflict=f"{run.trace_id}: the service has this run, with another {place}; delete it "
        "there, or import this one into another project or under other ids"
    )


def _is_part(stored: Mapping[str, object]) -> bool:
    is_whole = isinstance(stored.get(EXTRACTION), dict)
    return is_whole and Document(stored).extraction.dialects == [_DIALECT]


def of_first(error: ValidationError) -> str:
    """Return the first validation error in a document: its position and message."""
    first = error.errors(include_url=False)[0]
    return f"{'.'.join(map(str, first['loc']))}: {first['msg'].lower()}"


def _check_lengths(spans: Sequence[Span]) -> None:
    for span in spans:
        for key, value in span.attributes.items():
            if len(value) * 4 > MAX_VALUE_BYTES and len(value.encode()) > MAX_VALUE_BYTES:
                raise InvalidRequestError(
                    f"{span.span_id}: {key.rpartition('.')[2]} is longer than 8 MiB, of which "
                    "receivers keep the beginning: shorten it; formats of files hold it whole"
                )


def _check_restored(run: Run) -> None:
    """Restore the document as the service will; raise ``InvalidRequestError`` if it differs."""
    key, extraction = TraceKey(run.project, run.trace_id), Document(run.document).extraction
    restored = restore_trajectory(key, SpanTree(run.spans), extraction.extractor_version)
    if restored is None:
        raise InvalidRequestError("extraction: it is not valid in a document")
    again = orjson.loads(encode_document(restored, extraction.version, extraction.status))
    if (place := find_loss(run.document, again)) is not None:
        raise InvalidRequestError(f"{place}: it would not be restored unchanged")
