"""Reads documents as bytes: one, both documents of a version, or as many as fit a limit."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

from spanloom.core.model.trajectory import Status
from spanloom.core.ports.reading import Documents, StoredVersion
from spanloom.storage.engine.parameters import texts_in, within

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.model.access import Reach
    from spanloom.core.model.span import TraceKey
    from spanloom.storage.engine.connection import Connection

_LENGTH_CHARS = 12
"""The width of the length before each text in ``documents.sql`` and ``both_documents.sql``."""


class ClickHouseDocuments:
    """Implements ``DocumentReader`` with the readers' connection to ClickHouse."""

    def __init__(self, reader: Connection) -> None:
        """Use the connection; the caller closes it."""
        self._reader = reader

    def get(self, trace_id: str, reach: Reach) -> bytes | None:
        """See ``DocumentReader.get``."""
        return self._reader.blob("document", trace_id=trace_id, reach=within(reach)) or None

    def many(
        self, keys: Sequence[TraceKey], most_bytes: int, most_each: int | None = None
    ) -> Sequence[bytes | None]:
        """See ``DocumentReader.many``."""
        return read_documents(self._reader, keys, most_bytes, most_each)

    def spans(self, trace_id: str, reach: Reach) -> bytes | None:
        """See ``DocumentReader.spans``."""
        return self._reader.blob("spans_document", trace_id=trace_id, reach=within(reach)) or None

    def both(self, trace_id: str, reach: Reach) -> Documents | None:
        """See ``DocumentReader.both``."""
        both = self._reader.blob("both_documents", trace_id=trace_id, reach=within(reach))
        if not both:
            return None
        first = _LENGTH_CHARS + int(both[:_LENGTH_CHARS])
        return Documents(both[_LENGTH_CHARS:first], both[first:])

    def versions(self, trace_id: str, reach: Reach) -> Sequence[StoredVersion]:
        """See ``DocumentReader.versions``."""
        rows = self._reader.rows("stored_version", trace_id=trace_id, reach=within(reach))
        return [
            StoredVersion(
                r.Version, Status(r.Status), r.StoredAtMs, r.ExtractorVersion, r.SpanCount
            )
            for r in rows
        ]


def read_documents(
    reader: Connection, keys: Sequence[TraceKey], most_bytes: int, most_each: int | None = None
) -> Sequence[bytes | None]:
    """Implement ``DocumentReader.many`` in two queries, the first for lengths.

    A version that is stored between the two queries may be longer, which is harmless.
    """
    if not keys:
        return []
    sizes = _sizes(reader, keys)
    read = {key: size for key, size in sizes.items() if most_each is None or size <= most_each}
    some = list(keys[: _fitting(read, keys, most_bytes)])
    wanted = [key for key in some if key in read]
    texts = texts_in(reader.blob("documents", keys=wanted)) if wanted else []
    # The newest version of a trace comes last.
    found = {
        (project.decode(), trace_id.decode()): document
        for project, trace_id, document in zip(texts, texts, texts, strict=True)
    }
    return [found.get(key) for key in some]


def _sizes(reader: Connection, keys: Sequence[TraceKey]) -> Mapping[tuple[str, str], int]:
    rows = reader.rows("document_sizes", keys=list(keys))
    return {(row.Project, row.TraceId): row.Bytes for row in rows}


def _fitting(
    sizes: Mapping[tuple[str, str], int], keys: Sequence[TraceKey], most_bytes: int
) -> int:
    """Return how many keys, counted from the first, have documents that fit into the limit.

    It is at least one.
    """
    sums = accumulate(sizes.get(key, 0) for key in keys)
    return max(1, sum(total <= most_bytes for total in sums))
