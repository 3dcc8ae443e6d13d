"""In-memory full-text search: scans every text of every current trajectory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.memory_state import MemorySubject

from spanloom.core.matching.listed import placed_steps
from spanloom.core.messages.new_texts import NO_TEXT, NewTexts, find_new_texts, read_step_texts
from spanloom.core.ports.texts import Changed, HitCursor, ListedHit, TextSearch
from spanloom.core.query.flat_steps import lay_flat
from spanloom.core.query.where.text_query import has_text, make_snippet
from spanloom.core.query.words import tokenize
from spanloom.core.records.hit import Hit, Part
from spanloom.core.sharing import ALL, covers

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanloom.core.model.access import Reach
    from spanloom.core.model.span import TraceKey
    from spanloom.core.ports.trajectories import TrajectoryRecord
    from spanloom.core.sharing import Slices


class MemoryTexts(MemorySubject):
    """Texts of trajectories; only indexed texts are found."""

    def search(
        self, reach: Reach, wanted: TextSearch, limit: int, after: HitCursor | None = None
    ) -> Sequence[ListedHit]:
        """See ``TextFinder.search``."""
        with self._state.lock:
            records = [r for key, r in self._state.records.items() if reach.covers(key.project)]
        runs = [record for record in records if _is_within(record, wanted)]
        hits = [hit for record in runs for hit in self._hits(record, wanted)]
        hits.sort(key=lambda hit: hit.cursor, reverse=True)
        return [hit for hit in hits if after is None or hit.cursor < after][:limit]

    def _hits(self, record: TrajectoryRecord, wanted: TextSearch) -> Iterator[ListedHit]:
        flat = lay_flat(placed_steps(record.trajectory))
        positions = {each.step.id: place for place, each in enumerate(flat, 1)}
        for new in _texts_of(record):
            if _place(record, new) in self._state.indexed:
                for part, content in zip(Part, (new.input, new.output, new.error), strict=True):
                    if part in wanted.parts and has_text(wanted.query, tokenize(content)):
                        snippet = make_snippet(content, wanted.query)
                        start_ns = record.start_ns
                        hit = Hit(
                            trace_id=record.key.trace_id,
                            project=record.key.project,
                            started_at=start_ns // 1_000_000,
                            step_id=new.step_id,
                            position=positions[new.step_id],
                            part=part,
                            type=new.type,
                            name=new.name,
                            snippet=snippet.text,
                            offsets=list(snippet.marks),
                        )
                        yield ListedHit(hit, start_ns)


class MemoryTextIndex(MemorySubject):
    """The texts that can be found."""

    def changed_since(
        self, second: int, limit: int, after: Changed | None = None, slices: Slices = ALL
    ) -> Sequence[Changed]:
        """See ``TextIndexer.changed_since``."""
        with self._state.lock:
            stored = [
                Changed(self._state.stored_s[key], key, record.seq, record.version)
                for key, record in self._state.records.items()
            ]
        behind = [
            c
            for c in stored
            if c.second >= second and (after is None or c > after) and covers(slices, c.key)
        ]
        return sorted(behind)[:limit]

    def index_texts(self, keys: Sequence[TraceKey]) -> int:
        """See ``TextIndexer.index_texts``."""
        with self._state.lock:
            records = [self._state.records[key] for key in keys if key in self._state.records]
            new = [
                _place(record, text)
                for record in records
                for text in _texts_of(record)
                for said in (text.input, text.output, text.error)
                if said and _place(record, text) not in self._state.indexed
            ]
            self._state.indexed |= set(new)
            return len(new)

    def read_watermark(self, slices: Slices = ALL) -> int:
        """See ``TextIndexer.read_watermark``."""
        marks = [self._state.text_marks.get(number, 0) for number in slices or ()]
        return max(self._state.text_watermark, min(marks, default=0))

    def record_watermark(self, second: int, slices: Slices = ALL) -> None:
        """See ``TextIndexer.record_watermark``."""
        if slices is None:
            self._state.text_watermark = second
        else:
            self._state.text_marks |= dict.fromkeys(slices, second)

    def clock(self) -> int:
        """See ``TextIndexer.clock``."""
        return self._state.clock()

    def writes(self) -> int | None:
        """See ``TextIndexer.writes``."""
        return self._state.write_count


def _place(record: TrajectoryRecord, new: NewTexts) -> tuple[TraceKey, int, int]:
    return record.key, record.start_ns, new.hash


def _texts_of(record: TrajectoryRecord) -> Sequence[NewTexts]:
    told = (read_step_texts(step) for _, step in placed_steps(record.trajectory))
    return [new for new in find_new_texts(told) if new.hash != NO_TEXT]


def _is_within(record: TrajectoryRecord, wanted: TextSearch) -> bool:
    start_ns, is_repeat = record.start_ns, record.trajectory.duplicate_of
    return not is_repeat and wanted.start_from_ns <= start_ns < wanted.start_before_ns
