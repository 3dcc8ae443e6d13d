"""Columns of a list of runs that are read from their documents: ``document`` and ``steps``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from spanloom.api.rows.columns import DOCUMENT_COLUMNS
from spanloom.core.formats.parts import brief_steps, with_continuation

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spanloom.api.rows.columns import Columns
    from spanloom.api.rows.forms import Row
    from spanloom.core.ports.reading import DocumentReader
    from spanloom.core.query.lists import ListedRun

PAGE_BYTES = 8 << 20
"""Maximum bytes of documents in a page, which has at least one document."""


def from_documents(
    store: DocumentReader, columns: Columns
) -> Callable[[Sequence[ListedRun]], Sequence[Row]] | None:
    """Return a function that reads these columns for a list of runs; ``None`` if none is selected.

    It returns rows for the first runs only, as many as ``PAGE_BYTES`` allow. Both columns are null
    for a run that was deleted after it was listed.
    """
    if DOCUMENT_COLUMNS.keys().isdisjoint(columns):
        return None

    def read(lines: Sequence[ListedRun]) -> Sequence[Row]:
        documents = store.many([line.key for line in lines], PAGE_BYTES)
        return [
            _columns(with_continuation(document, line.continuation) if document else None, columns)
            for line, document in zip(lines, documents, strict=False)
        ]

    return read


def _columns(document: bytes | None, columns: Columns) -> Row:
    if document is None:
        return dict.fromkeys(DOCUMENT_COLUMNS)
    row: dict[str, Any] = {"document": orjson.Fragment(document)}  # passed on as stored
    if "steps" in columns:
        row["steps"] = brief_steps(orjson.loads(document))
    return row
