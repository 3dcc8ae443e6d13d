"""Puts into the index what the steps of stored trajectories say."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import orjson

from spanloom.core.messages.new_texts import find_new_texts, told_steps
from spanloom.core.model.span import TraceKey
from spanloom.core.ports.texts import Changed
from spanloom.storage.engine.parameters import batched
from spanloom.storage.engine.row_binary import Encoder, RowBinary, enum8, text, uint64

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from spanloom.core.messages.new_texts import NewTexts
    from spanloom.storage.engine.lane import Lane
    from spanloom.storage.engine.parameters import Row

MAX_SPANS = 20_000
"""Of traces whose documents are read at once: they are in memory as a whole."""
MAX_BYTES = 16 << 20
"""Of texts in one INSERT, but for a single step: each becomes one part, whole or not at all."""
TEXT_COLUMNS: Mapping[str, Encoder] = {
    "Project": text,
    "TrajectoryStart": uint64,
    "TraceId": text,
    "StepId": uint64,
    "Part": enum8,
    "Hash": uint64,
    "Type": text,
    "Name": text,
    "Text": text,
}
_BEFORE_ALL = Changed(0, TraceKey("", ""), 0, 0)


class _Missing(NamedTuple):
    """A run of which texts are not in the index."""

    key: TraceKey
    span_count: int
    hashes: frozenset[int]


class ClickHouseTextIndexer:
    """``TextIndexer`` over a lane of its own: it holds up nobody."""

    def __init__(self, indexer: Lane) -> None:
        """Take the lane; whoever opened it closes it."""
        self._indexer = indexer

    def changed_since(
        self, second: int, limit: int, after: Changed | None = None
    ) -> Sequence[Changed]:
        """See ``TextIndexer.changed_since``."""
        place = after or _BEFORE_ALL
        rows = self._indexer.rows(
            "changed_since",
            since=second,
            after_second=place.second,
            after_project=place.key.project,
            after_trace_id=place.key.trace_id,
            most=limit,
        )
        return [
            Changed(row.Second, TraceKey(row.Project, row.TraceId), row.Seq, row.Version)
            for row in rows
        ]

    def index_texts(self, keys: Sequence[TraceKey]) -> int:
        """See ``TextIndexer.index_texts``.

        All texts of a step are one part of the table, whole or not at all: that one of them is
        there tells that all are.
        """
        missing = [run for some in batched(keys) for run in self._missing_texts(some)]
        count = 0
        for runs in _few_enough(missing):
            for rows in _in_blocks(self._new_rows(runs)):
                body = RowBinary(rows, TEXT_COLUMNS)
                self._indexer.insert_binary("step_texts", TEXT_COLUMNS, body)
                count += len(rows)
        return count

    def read_text_watermark(self) -> int:
        """See ``TextIndexer.read_text_watermark``."""
        return next((int(row.Second) for row in self._indexer.rows("read_text_watermark")), 0)

    def record_text_watermark(self, second: int) -> None:
        """See ``TextIndexer.record_text_watermark``."""
        self._indexer.insert("text_watermark", ("Second",), [(second,)])

    def _missing_texts(self, keys: Sequence[TraceKey]) -> Iterator[_Missing]:
        runs = {
            TraceKey(row.Project, row.TraceId): row
            for row in self._indexer.rows("text_hashes", keys=keys)
        }
        places = [(row.Project, row.StartTimeUnixNano, row.TraceId) for row in runs.values()]
        indexed = {
            (row.Project, row.TraceId): row.Hashes
            for row in self._indexer.rows("indexed_texts", places=places)
        }
        for key, row in runs.items():
            if hashes := frozenset(row.Hashes).difference(indexed.get(key, ())):
                yield _Missing(key, row.SpanCount, hashes)

    def _new_rows(self, runs: Sequence[_Missing]) -> Iterator[Sequence[Mapping[str, object]]]:
        """Yield the rows of each step of which the index has none."""
        wanted = {run.key: run.hashes for run in runs}
        for row in self._indexer.rows("text_documents", keys=list(wanted)):
            hashes = wanted[TraceKey(row.Project, row.TraceId)]
            for new in find_new_texts(told_steps(orjson.loads(row.Document))):
                if new.hash in hashes:
                    yield list(_text_rows(row, new))


def _text_rows(run: Row, new: NewTexts) -> Iterator[Mapping[str, object]]:
    for place, said in enumerate((new.input, new.output, new.error), 1):
        if said:
            yield {
                "Project": run.Project,
                "TrajectoryStart": run.StartTimeUnixNano,
                "TraceId": run.TraceId,
                "StepId": int(new.step_id, 16),
                "Part": place,
                "Hash": new.hash,
                "Type": new.type,
                "Name": new.name,
                "Text": said,
            }


def _few_enough(runs: Sequence[_Missing]) -> Iterator[Sequence[_Missing]]:
    """Yield the runs in groups whose documents are read at once."""
    group: list[_Missing] = []
    spans = 0
    for run in runs:
        if group and spans + run.span_count > MAX_SPANS:
            yield group
            group, spans = [], 0
        group.append(run)
        spans += run.span_count
    if group:
        yield group


def _in_blocks(
    steps: Iterator[Sequence[Mapping[str, object]]],
) -> Iterator[Sequence[Mapping[str, object]]]:
    """Yield the rows of steps in blocks, those of one step always in one."""
    block: list[Mapping[str, object]] = []
    size = 0
    for rows in steps:
        block += rows
        size += sum(len(str(row["Text"])) for row in rows)
        if size >= MAX_BYTES:
            yield block
            block, size = [], 0
    if block:
        yield block
