"""Annotations, schemes, kept versions, scores and queues in memory."""

from __future__ import annotations

from collections import defaultdict
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from tests.support.memory_feed import MemoryFeed

from spanloom.core.model.annotation import Origin
from spanloom.core.model.annotation_queue import Alike
from spanloom.core.model.score import Score
from spanloom.core.model.span import TraceKey
from spanloom.core.model.tenancy import Reach
from spanloom.core.ports.annotations import BEFORE_ALL_SCORES, AnnotationQuery, KeptAt, ScorePlace
from spanloom.core.ports.feed import Announcement

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from spanloom.core.model.annotation import Annotation, Slot
    from spanloom.core.model.annotation_queue import Queue, QueueEvent, QueueItem
    from spanloom.core.ports.annotations import KeptVersion, ScoreQuery, StoredScheme


class MemoryAnnotations(MemoryFeed):
    """What annotating asks of a store."""

    def add_annotations(self, rows: Sequence[Annotation], *, is_told: bool = True) -> None:
        """See ``AnnotationStore.add_annotations``."""
        with self.telling(row.slot.key for row in rows if is_told), self._lock:
            for row in rows:
                if row not in self._annotations:
                    self._annotations.append(row)
            self._add_scores([_score_of(row) for row in rows])

    def is_alone(self) -> bool:
        """See ``AnnotationStore.is_alone``."""
        return True

    def annotations(
        self, reach: Reach, asked: AnnotationQuery, limit: int, after: Slot | None = None
    ) -> Sequence[Annotation]:
        """See ``AnnotationStore.annotations``."""
        current: dict[Slot, Annotation] = {}
        for row in sorted(self._said(), key=lambda said: said.order):
            current[row.slot] = row
        return [
            current[slot]
            for slot in sorted(current)
            if (after is None or slot > after)
            and reach.covers(slot.key.project)
            and asked.trace_id in (None, slot.key.trace_id)
            and asked.scheme in ("", slot.scheme)
            and asked.annotator in ("", slot.annotator)
            and asked.from_us <= current[slot].at_us < asked.before_us
        ][:limit]

    def revisions(self, key: TraceKey, scheme: str, annotator: str) -> Sequence[Annotation]:
        """See ``AnnotationStore.revisions``."""
        of = (key, scheme, annotator)
        found = [row for row in self._said() if row.slot[:3] == of]
        return sorted(found, key=lambda row: (row.slot, row.order))

    def written(self, key: TraceKey, write_ids: Sequence[str]) -> Sequence[Annotation]:
        """See ``AnnotationStore.written``."""
        found = [r for r in self._said() if r.slot.key == key and r.write_id in write_ids]
        return sorted(found, key=lambda row: (row.slot, row.revision))

    def put_scheme(self, scheme: StoredScheme) -> None:
        """See ``SchemeStore.put_scheme``."""
        with self._lock:
            self._schemes[scheme.project, scheme.name, scheme.hash] = scheme

    def schemes(self, reach: Reach, name: str = "") -> Sequence[StoredScheme]:
        """See ``SchemeStore.schemes``."""
        newest: dict[tuple[str, str], StoredScheme] = {}
        for scheme in sorted(self._schemes.values(), key=lambda s: s.at_us):
            if reach.covers(scheme.project) and name in ("", scheme.name):
                newest[scheme.project, scheme.name] = scheme
        return [newest[place] for place in sorted(newest)]

    def scheme_text(self, project: str, name: str, scheme_hash: str) -> StoredScheme | None:
        """See ``SchemeStore.scheme_text``."""
        return self._schemes.get((project, name, scheme_hash))

    def keep_version(self, kept: KeptVersion) -> None:
        """See ``VersionKeeper.keep_version``."""
        with self._lock:
            same = (k for k in self._kept.values() if (k.key, k.hash) == (kept.key, kept.hash))
            document = next((k.document for k in same), kept.document)
            self._kept[kept.key, kept.version] = replace(kept, document=document)

    def has_kept(self, key: TraceKey, version: int) -> bool:
        """See ``VersionKeeper.has_kept``."""
        return self.kept_version(key, version) is not None

    def kept_version(self, key: TraceKey, version: int) -> KeptVersion | None:
        """See ``VersionKeeper.kept_version``."""
        return None if key in self._deleted else self._kept.get((key, version))

    def kept_versions(self, key: TraceKey) -> Sequence[KeptAt]:
        """See ``VersionKeeper.kept_versions``."""
        kept = () if key in self._deleted else self._kept.values()
        found = [KeptAt(one.version, one.at_us) for one in kept if one.key == key]
        return sorted(found, reverse=True)

    def current_version(self, key: TraceKey) -> int:
        """See ``VersionKeeper.current_version``."""
        record = self._records.get(key)
        return record.version if record else 0

    def add_scores(self, scores: Sequence[Score], *, is_told: bool = True) -> None:
        """See ``ScoreStore.add_scores``."""
        with self.telling(score.key for score in scores if is_told):
            self._add_scores(scores)

    def _add_scores(self, scores: Sequence[Score]) -> None:
        with self._lock:
            for score in scores:
                place = ScorePlace(*score.key, score.id)
                known = self._scores.get(place)
                if known is None or known.revision <= score.revision:
                    self._scores[place] = score

    def scores(
        self, reach: Reach, asked: ScoreQuery, limit: int, after: ScorePlace = BEFORE_ALL_SCORES
    ) -> Sequence[Score]:
        """See ``ScoreStore.scores``."""
        return [
            score
            for place, score in sorted(self._scores.items(), key=lambda item: item[0])
            if place > after
            and not score.is_deleted
            and score.key not in self._deleted
            and reach.covers(score.key.project)
            and score.key.trace_id in (asked.trace_ids or (score.key.trace_id,))
            and asked.name in ("", score.name)
            and score.source in (asked.sources or (score.source,))
            and asked.author in ("", score.author)
            and asked.target in ("", score.target)
        ][:limit]

    def put_queue(self, queue: Queue) -> None:
        """See ``AnnotationQueueStore.put_queue``."""
        items = self.queue_items(queue)
        with self.telling(TraceKey(queue.project, item.trace_id) for item in items):
            self._queues[queue.project, queue.name] = queue

    def queues(self, reach: Reach, name: str = "") -> Sequence[Queue]:
        """See ``AnnotationQueueStore.queues``."""
        found = (self._queues[place] for place in sorted(self._queues))
        return [q for q in found if reach.covers(q.project) and name in ("", q.name)]

    def add_items(self, queue: Queue, items: Sequence[QueueItem]) -> None:
        """See ``AnnotationQueueStore.add_items``."""
        with self._lock:
            held = self._queue_items.setdefault((queue.project, queue.name), {})
            for item in items:
                known = held.get(item.trace_id, item)
                is_gold = known.is_gold or item.is_gold
                first = min(known, item, key=lambda i: i.place)
                held[item.trace_id] = first._replace(is_gold=is_gold)

    def queue_items(self, queue: Queue) -> Sequence[QueueItem]:
        """See ``AnnotationQueueStore.queue_items``."""
        held = self._queue_items.get((queue.project, queue.name), {})
        gone = {key.trace_id for key in self._deleted if key.project == queue.project}
        found = (item for item in held.values() if item.trace_id not in gone)
        return sorted(found, key=lambda item: (item.place, item.trace_id))

    def add_events(self, queue: Queue, events: Sequence[QueueEvent]) -> None:
        """See ``AnnotationQueueStore.add_events``."""
        keys = (TraceKey(queue.project, event.trace_id) for event in events)
        with self.telling(keys), self._lock:
            self._queue_events.setdefault((queue.project, queue.name), set()).update(events)

    @contextmanager
    def telling(self, keys: Iterable[TraceKey]) -> Iterator[None]:
        """See ``AnnotationStore.telling``."""
        try:
            yield
        finally:
            named = [key for key in dict.fromkeys(keys) if key.trace_id]
            self.announce([Announcement.of_said(key) for key in named])

    def queue_events(self, queue: Queue, trace_id: str | None = None) -> Sequence[QueueEvent]:
        """See ``AnnotationQueueStore.queue_events``."""
        gone = {key.trace_id for key in self._deleted if key.project == queue.project}
        held = self._queue_events.get((queue.project, queue.name), set())
        found = (e for e in held if trace_id in (None, e.trace_id) and e.trace_id not in gone)
        return sorted(found, key=lambda e: (e.at_us, e.trace_id, e.annotator, e.event))

    def alike(self, queue: Queue) -> Mapping[str, Alike]:
        """See ``AnnotationQueueStore.alike``."""
        held = self._queue_items.get((queue.project, queue.name), {})
        asked = AnnotationQuery(scheme=queue.scheme)
        said: dict[tuple[str, str], list[str]] = defaultdict(list)
        for row in self.annotations(Reach.only(queue.project), asked, 2**31):
            answer = row.mark.correctness if row.slot.step_id else _whole(row)
            is_of_people = row.origin in (Origin.HUMAN, Origin.IMPORT)
            if row.slot.key.trace_id in held and answer and is_of_people and not row.is_deleted:
                said[row.slot.key.trace_id, row.slot.step_id].append(answer)
        found: dict[str, Alike] = {}
        for (trace_id, _), answers in sorted(said.items()):
            if len(answers) > 1:
                shared, same = found.get(trace_id, Alike(0, 0))
                found[trace_id] = Alike(shared + 1, same + (len(set(answers)) == 1))
        return found

    def _said(self) -> Sequence[Annotation]:
        with self._lock:
            return [row for row in self._annotations if row.slot.key not in self._deleted]


def _whole(row: Annotation) -> str:
    value = row.mark.value
    return f"{value.get('decisive_step') or ''}{value.get('responsible_agent') or ''}"


def _score_of(row: Annotation) -> Score:
    """Return what the view of ``0031_scores.sql`` makes of an annotation."""
    is_whole = not row.slot.step_id
    return Score(
        key=row.slot.key,
        name=row.slot.scheme + ("/answer" if is_whole else ""),
        source=row.origin.value,
        author=row.slot.annotator,
        revision=row.at_us,
        target="trajectory" if is_whole else "step",
        step_id=row.slot.step_id,
        judged_version=row.anchor.version,
        step_hash=row.anchor.step_hash,
        value_type="text" if is_whole else "category",
        number=None if is_whole else -row.penalty,
        text=row.mark.correctness,
        rationale=row.mark.rationale,
        config_hash=row.scheme_hash,
        is_deleted=row.is_deleted,
    )
