"""Functions for rows in evaluation sets, with a trace or with only a request and a response."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanloom.core.errors import InvalidRequestError
from spanloom.core.exchange.drafts import Draft, DraftStep
from spanloom.core.exchange.ids import note_made, step_id_of, trace_id_of
from spanloom.core.exchange.mlflow import names
from spanloom.core.exchange.mlflow.info import with_expectations
from spanloom.core.exchange.mlflow.values import encoded, sound
from spanloom.core.exchange.unread import note_unread
from spanloom.core.formats.json_bytes import TOO_DEEP, TooDeepError, dump, sorted_keys
from spanloom.core.formats.losses import Code
from spanloom.core.model.trajectory import Kind
from spanloom.core.values.attributes import json_object

if TYPE_CHECKING:
    from collections.abc import Mapping
    from collections.abc import Set as AbstractSet

    from spanloom.core.document import Document
    from spanloom.core.formats.json_bytes import Json
    from spanloom.core.formats.readers import Reading

ITEM = "it is an item to evaluate, not a run: it has no `{}` and no `trace`"
"""Why a row without a trace or response is rejected."""


def expectations_of(document: Document) -> Mapping[str, Any]:
    """Return the expectations for a run that was read from an evaluation set."""
    text = document.extraction.metadata.get(names.EXPECTATIONS)
    return json_object(text) if isinstance(text, str) else {}


def is_given(value: object) -> bool:
    """Return whether a cell has a value; tables write a missing value as null."""
    return value is not None


def text_in(value: object, where: str, reading: Reading) -> str:
    """Return a cell as text; a value that is not a text becomes JSON text."""
    text = value if isinstance(value, str) else encoded(value, where)
    return sound(text, where, reading.losses)


def bare_run(
    row: Json, source: str, texts: tuple[str, str], expected: Mapping[str, object], reading: Reading
) -> Draft:
    """Make a run from a row without a trace: a root with request and response, without times.

    ``source`` is the id of the run in the file; if it is empty, a hash of the row is used.
    """
    reading.losses.note(Code.DURATION_UNKNOWN)
    trace_id = trace_id_of(reading.format, reading.project, source or _content(row))
    note_made(trace_id, source, "request_id", reading.losses)
    root = DraftStep(step_id_of(trace_id, "request"), "", Kind.OTHER, "request", *texts)
    note_made(root.id, "", "request", reading.losses)
    metadata = {names.SOURCE_ID: source} if source else {}
    extras = {"metadata": {**metadata, **with_expectations({}, expected)}}
    return Draft(trace_id, reading.project, reading.format, [root], extras)


def note_others(row: Json, known: AbstractSet[str], reading: Reading) -> None:
    """Count the columns that a run cannot hold."""
    note_unread(row, known, reading.losses)


def _content(row: Json) -> str:
    try:
        return dump(sorted_keys(row)).decode()
    except TooDeepError:
        raise InvalidRequestError(TOO_DEEP) from None
