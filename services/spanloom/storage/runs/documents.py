"""Many documents in one answer, as bytes, and no more of them than there is room for."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from spanloom.core.model.span import TraceKey
    from spanloom.storage.engine.lane import Lane

_LENGTH_CHARS = 12
"""Of ``documents.sql``: before each text."""


def read_documents(
    reader: Lane, keys: Sequence[TraceKey], most_bytes: int
) -> Sequence[bytes | None]:
    """Do what ``TrajectoryReader.documents_of`` promises, in two queries: the first tells lengths.

    A version that is stored between the two may be longer; that is no harm.
    """
    if not keys:
        return []
    some = list(keys[: _fitting(_sizes(reader, keys), keys, most_bytes)])
    texts = _texts_in(reader.blob("documents", keys=some))
    found = {
        (project.decode(), trace_id.decode()): document
        for project, trace_id, document in zip(texts, texts, texts, strict=True)
    }
    return [found.get(key) for key in some]


def _sizes(reader: Lane, keys: Sequence[TraceKey]) -> Mapping[tuple[str, str], int]:
    rows = reader.rows("document_sizes", keys=list(keys))
    return {(row.Project, row.TraceId): row.Bytes for row in rows}


def _fitting(
    sizes: Mapping[tuple[str, str], int], keys: Sequence[TraceKey], most_bytes: int
) -> int:
    """Return how many of the first keys have room together, one at least."""
    sums = accumulate(sizes.get(key, 0) for key in keys)
    return max(1, sum(total <= most_bytes for total in sums))


def _texts_in(answer: bytes) -> Iterator[bytes]:
    """Yield the texts of an answer, row by row: of versions of one trace the newest comes last."""
    at = 0
    while at < len(answer):
        start = at + _LENGTH_CHARS
        at = start + int(answer[at:start])
        yield answer[start:at]
