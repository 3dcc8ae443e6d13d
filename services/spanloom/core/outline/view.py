"""One version of a run as it is shown: its rows, and what their lines are made of."""

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
"""What a row takes beside its text."""


class RunView(NamedTuple):
    """Kept while a run is looked at, so without most of its texts."""

    version: int
    rows: Sequence[OutlineRow]
    sources: Sequence[Source | None]
    """Of each row; ``None`` where there is nothing but a name."""

    @property
    def size(self) -> int:
        """About how many bytes it takes."""
        texts = sum(len(source.text) for source in self.sources if source is not None)
        return texts + _ROW_BYTES * len(self.rows)


class WholeRun(NamedTuple):
    """A run with all that its steps say."""

    view: RunView
    steps: Mapping[str, DocumentStep]


def read_run(document: bytes, spans: bytes) -> WholeRun:
    """Return a run as it is shown, of its document and its spans in the same version."""
    whole = Document(orjson.loads(document))
    steps = whole.by_id()
    rows = place_rows(steps, orjson.loads(spans))
    sources = [source_of(steps[row.id]) if row.id in steps else None for row in rows]
    return WholeRun(RunView(whole.extraction["version"], rows, sources), steps)
