"""Full text in memory: every text of every current trajectory is looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.memory_state import MemorySubject

from spanloom.core.messages.new_texts import NO_TEXT, NewTexts, find_new_texts, read_step_texts
from spanloom.core.ports.texts import Changed, HitCursor, Part, TextHit, TextSearch
from spanloom.core.query.flat_steps import lay_flat
from spanloom.core.query.snippets import make_snippet
from spanloom.core.query.text_query import has_text
from spanloom.core.query.tokens import tokenize
from spanloom.storage.runs.step_arrays import placed_steps

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanloom.core.model.span import TraceKey
    from spanloom.core.model.tenancy import Reach
    from spanloom.core.ports.building import TrajectoryRecord


class MemoryTexts(MemorySubject):
    """Texts of trajectories; which of them are found says the index."""

    def search(
        self, reach: Reach, wanted: TextSearch, limit: int, after: HitCursor | None = None
    ) -> Sequence[TextHit]:
        """See ``TextFinder.search``."""
        with self._state.lock:
            records = [r for key, r in self._state.records.items() if reach.covers(key.project)]
        runs = [record for record in records if _is_within(record, wanted)]
        hits = [hit for record in runs for hit in self._hits(record, wanted)]
        hits.sort(key=lambda hit: hit.cursor, reverse=True)
        return [hit for hit in hits if after is None or hit.cursor < after][:limit]

    def _hits(self, record: TrajectoryRecord, wanted: TextSearch) -> Iterator[TextHit]:
        flat = lay_flat(placed_steps(record.trajectory))
        positions = {each.step.id: place for place, each in enumerate(flat, 1)}
        for new in _texts_of(record):
            if _place(record, new) in self._state.indexed:
                for part, said in zip(Part, (new.input, new.output, new.error), strict=True):
                    if part in wanted.parts and has_text(wanted.query, tokenize(said)):
                        yield TextHit(
                            record.key,
                            record.trajectory.root.start_ns,
                            new.step_id,
                            positions[new.step_id],
                            part,
                            new.type,
                            new.name,
                            make_snippet(said, wanted.query),
                        )


class MemoryTextIndex(MemorySubject):
    """Which texts are found."""

    def changed_since(
        self, second: int, limit: int, after: Changed | None = None
    ) -> Sequence[Changed]:
        """See ``TextIndexer.changed_since``."""
        with self._state.lock:
            stored = [
                Changed(self._state.stored_s[key], key, record.seq, record.version)
                for key, record in self._state.records.items()
            ]
        behind = [c for c in stored if c.second >= second and (after is None or c > after)]
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

    def read_watermark(self) -> int:
        """See ``TextIndexer.read_watermark``."""
        return self._state.text_watermark

    def record_watermark(self, second: int) -> None:
        """See ``TextIndexer.record_watermark``."""
        self._state.text_watermark = second

    def clock(self) -> int:
        """See ``TextIndexer.clock``."""
        return self._state.clock()

    def writes(self) -> int | None:
        """See ``TextIndexer.writes``."""
        return self._state.write_count


def _place(record: TrajectoryRecord, new: NewTexts) -> tuple[TraceKey, int, int]:
    return record.key, record.trajectory.root.start_ns, new.hash


def _texts_of(record: TrajectoryRecord) -> Sequence[NewTexts]:
    told = (read_step_texts(step) for _, step in placed_steps(record.trajectory))
    return [new for new in find_new_texts(told) if new.hash != NO_TEXT]


def _is_within(record: TrajectoryRecord, wanted: TextSearch) -> bool:
    start_ns, is_repeat = record.trajectory.root.start_ns, record.trajectory.duplicate_of
    return not is_repeat and wanted.start_from_ns <= start_ns < wanted.start_before_ns
