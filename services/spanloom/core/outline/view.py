"""One version of a run for display: its rows and the data of their previews."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import orjson

from spanloom.core.document import Document
from spanloom.core.outline.previews import Source, source_of
from spanloom.core.outline.rows import OutlineRow, place_rows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.document import DocumentStep

_ROW_BYTES = 700
"""Bytes of memory of a row without its text."""


class RunView(NamedTuple):
    """The rows of a run; cached while a run is viewed, so without most of its texts."""

    version: int
    rows: Sequence[OutlineRow]
    sources: Sequence[Source | None]
    """One per row; ``None`` if the row has only a name."""

    @property
    def size(self) -> int:
        """Approximate memory in bytes."""
        texts = sum(len(source.text) for source in self.sources if source is not None)
        return texts + _ROW_BYTES * len(self.rows)


class WholeRun(NamedTuple):
    """A run with the texts of its steps."""

    view: RunView
    steps: Mapping[str, DocumentStep]


def read_run(document: bytes, spans: bytes) -> WholeRun:
    """Parse a run from its document and its span verdicts of the same version."""
    parsed = Document(orjson.loads(document))
    steps = parsed.by_id()
    rows = place_rows(steps, orjson.loads(spans))
    sources = [source_of(steps[row.id]) if row.id in steps else None for row in rows]
    return WholeRun(RunView(parsed.extraction["version"], rows, sources), steps)
