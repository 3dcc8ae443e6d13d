"""Writes the texts of the steps of stored trajectories to the index."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.messages.document_steps import read_steps
from spanloom.core.messages.new_texts import find_new_texts
from spanloom.core.model.span import TraceKey
from spanloom.core.ports.texts import Changed
from spanloom.core.sharing import ALL
from spanloom.storage.engine.parameters import batched, texts_in
from spanloom.storage.engine.row_binary import Encoder, Pieces, RowBinary, enum8, text, uint64
from spanloom.storage.engine.slices import in_slices, lowest, read_watermarks, record_watermarks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from spanloom.core.messages.new_texts import NewTexts
    from spanloom.core.sharing import Slices
    from spanloom.storage.engine.connection import Connection

MAX_SPANS = 20_000
"""Maximum spans of traces whose documents are in memory together."""
MAX_BYTES = 16 << 20
"""Maximum bytes of rows in one INSERT, exceeded by at most one step; it makes one atomic part."""
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
SLICE_BYTES = 16 << 20
"""Bytes of a long document read by one query, whose response is in memory several times."""
_KIND = "index"
_BEFORE_ALL = Changed(0, TraceKey("", ""), 0, 0)


class _Missing(NamedTuple):
    """A run whose texts the index lacks."""

    key: TraceKey
    span_count: int
    hashes: frozenset[int]


class _Texts(NamedTuple):
    """The texts of a run's steps that did not occur earlier in the run."""

    key: TraceKey
    start_ns: int
    """The start of the trajectory, in nanoseconds since the epoch."""
    texts: Sequence[NewTexts]


class ClickHouseTextIndexer:
    """``TextIndexer`` with its own connection, so that no other statement waits for it."""

    def __init__(self, indexer: Connection, writes: Callable[[], int | None]) -> None:
        """Use the connection, which the caller closes, and the count of ended writes of runs."""
        self._indexer = indexer
        self._writes = writes

    def clock(self) -> int:
        """See ``TextIndexer.clock``."""
        ((second,),) = self._indexer.rows("clock")
        return int(second)

    def writes(self) -> int | None:
        """See ``TextIndexer.writes``."""
        return self._writes()

    def changed_since(
        self, second: int, limit: int, after: Changed | None = None, slices: Slices = ALL
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
            shared=in_slices(slices),
        )
        return [
            Changed(row.Second, TraceKey(row.Project, row.TraceId), row.Seq, row.Version)
            for row in rows
        ]

    def index_texts(self, keys: Sequence[TraceKey]) -> int:
        """See ``TextIndexer.index_texts``.

        All texts of a step are in one atomic part of the table, so if one of them is stored, all
        are.
        """
        missing = [run for some in batched(keys) for run in self._missing_texts(some)]
        count = 0
        for runs in _few_enough(missing):
            for rows in _in_blocks(self._new_rows(runs)):
                self._indexer.insert_binary("step_texts", TEXT_COLUMNS, Pieces(rows))
                count += len(rows)
        return count

    def read_watermark(self, slices: Slices = ALL) -> int:
        """See ``TextIndexer.read_watermark``."""
        whole = next((int(row.Second) for row in self._indexer.rows("read_text_watermark")), 0)
        marks = {} if slices is None else read_watermarks(self._indexer, _KIND)
        return lowest(whole, marks, slices)

    def record_watermark(self, second: int, slices: Slices = ALL) -> None:
        """See ``TextIndexer.record_watermark``."""
        if slices is None:
            self._indexer.insert("text_watermark", ("Second",), [(second,)])
        else:
            record_watermarks(self._indexer, _KIND, dict.fromkeys(slices, second))

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

    def _new_rows(self, runs: Sequence[_Missing]) -> Iterator[Sequence[bytes]]:
        """Yield the rows of each step whose texts the index lacks."""
        wanted = {run.key: run.hashes for run in runs}
        is_long = sum(run.span_count for run in runs) > MAX_SPANS  # a single trace
        texts = self._texts_of_long(runs[0].key) if is_long else self._texts_of(list(wanted))
        for key, start_ns, found in texts:
            hashes = wanted[key]
            for new in found:
                if new.hash in hashes:
                    yield list(_text_rows(key, start_ns, new))

    def _texts_of(self, keys: Sequence[TraceKey]) -> Iterator[_Texts]:
        """Yield the texts of the newest documents of traces."""
        texts = texts_in(self._indexer.blob("text_documents", keys=keys))
        for project, trace_id, start_ns, document in zip(texts, texts, texts, texts, strict=True):
            key = TraceKey(project.decode(), trace_id.decode())
            yield _Texts(key, int(start_ns), find_new_texts(read_steps(document)))

    def _texts_of_long(self, key: TraceKey) -> Iterator[_Texts]:
        """Yield the texts of a long trace; its document is read in slices, after freeing memory."""
        for row in self._indexer.rows("text_place", **key._asdict()):
            version = {**key._asdict(), "seq": row.Seq, "version": row.Version}
            document = bytearray()
            self._indexer.relax()
            while part := self._indexer.blob(
                "text_slice", **version, after=len(document), most=SLICE_BYTES
            ):
                document += part
                self._indexer.relax()
            steps = read_steps(document)
            del document, part
            self._indexer.relax()
            yield _Texts(key, row.StartTimeUnixNano, find_new_texts(steps))
        self._indexer.relax()


def _text_rows(key: TraceKey, start_ns: int, new: NewTexts) -> Iterator[bytes]:
    """Yield encoded rows; as objects, the rows of a long run would take ten times the memory."""
    for place, content in enumerate((new.input, new.output, new.error), 1):
        if content:
            row = {
                "Project": key.project,
                "TrajectoryStart": start_ns,
                "TraceId": key.trace_id,
                "StepId": int(new.step_id, 16),
                "Part": place,
                "Hash": new.hash,
                "Type": new.type,
                "Name": new.name,
                "Text": content,
            }
            yield b"".join(RowBinary([row], TEXT_COLUMNS))


def _few_enough(runs: Sequence[_Missing]) -> Iterator[Sequence[_Missing]]:
    """Yield the runs in groups whose documents are read together."""
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


def _in_blocks(steps: Iterator[Sequence[bytes]]) -> Iterator[Sequence[bytes]]:
    """Yield the rows of steps in blocks; rows of one step are always in the same block."""
    block: list[bytes] = []
    size = 0
    for rows in steps:
        block += rows
        size += sum(map(len, rows))
        if size >= MAX_BYTES:
            yield block
            block, size = [], 0
    if block:
        yield block
