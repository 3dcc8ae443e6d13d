"""Converts annotations to rows and back, and leaves out the rows of deleted traces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

import orjson

from spanloom.core.formats.json_bytes import dump
from spanloom.core.model.annotation import Anchor, Annotation, Mark, Origin, Slot
from spanloom.core.model.span import TraceKey
from spanloom.core.records.annotation import ANNOTATION
from spanloom.storage.engine.object_rows import ObjectRows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from contextlib import AbstractContextManager

    from spanloom.storage.engine.connection import Connection


ANNOTATION_ROWS = ObjectRows(
    ANNOTATION,
    Annotation,
    {"slot": Slot, "slot.key": TraceKey, "anchor": Anchor, "mark": Mark},
    {
        "origin": Origin,
        "is_deleted": bool,
        "mark.value": lambda text: orjson.loads(text) if text else {},
    },
)


def to_row(annotation: Annotation) -> dict[str, object]:
    """Return an annotation as a row: its values by column name."""
    row = ANNOTATION_ROWS.row(annotation)
    return {**row, "Value": dump(dict(annotation.mark.value)).decode()}


T = TypeVar("T")


def living(
    connection: Connection, rows: Sequence[T], key_of: Callable[[T], TraceKey]
) -> Sequence[T]:
    """Return the rows whose traces are not deleted."""
    deleted = connection.hiding.deleted_among(connection, {key_of(row) for row in rows})
    return [row for row in rows if key_of(row) not in deleted] if deleted else rows


def living_page(
    connection: Connection,
    read: Callable[[T | None], Sequence[T]],
    key_of: Callable[[T], TraceKey],
    limit: int,
) -> Sequence[T]:
    """Return up to ``limit`` rows whose traces are not deleted.

    ``read`` returns the ``limit`` rows after a given row; if it returns fewer, there are no more.
    """
    found: list[T] = []
    last: T | None = None
    while len(found) < limit:
        page = read(last)
        found += living(connection, page, key_of)
        if len(page) < limit:
            break
        last = page[-1]
    return found[:limit]


class Announcing(Protocol):
    """The interface to the change feed that annotations, scores and queues need."""

    def announcing_judgements(self, keys: Iterable[TraceKey]) -> AbstractContextManager[None]:
        """See ``AnnotationStore.announcing_judgements``."""
