"""In-memory annotations, schemes and stored versions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tests.support.memory_scores import keep_scores
from tests.support.memory_state import MemorySubject

from spanloom.core.model.score import Score
from spanloom.core.ports.annotations import AnnotationQuery, KeptAt

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from contextlib import AbstractContextManager

    from spanloom.core.model.access import Reach
    from spanloom.core.model.annotation import Annotation, Slot
    from spanloom.core.model.span import TraceKey
    from spanloom.core.ports.annotations import KeptVersion, StoredScheme


class MemoryAnnotations(MemorySubject):
    """Annotations; each is also a score."""

    def add(self, rows: Sequence[Annotation], *, is_announced: bool = True) -> None:
        """See ``AnnotationStore.add``."""
        with (
            self._state.announcing_judgements(row.slot.key for row in rows if is_announced),
            self._state.lock,
        ):
            for row in rows:
                if row not in self._state.annotations:
                    self._state.annotations.append(row)
            keep_scores(self._state, [_score_of(row) for row in rows])

    def is_alone(self) -> bool:
        """See ``AnnotationStore.is_alone``."""
        return True

    def list(
        self, reach: Reach, asked: AnnotationQuery, limit: int, after: Slot | None = None
    ) -> Sequence[Annotation]:
        """See ``AnnotationStore.list``."""
        current: dict[Slot, Annotation] = {}
        for row in sorted(self._state.living_annotations(), key=lambda said: said.order):
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
        found = [row for row in self._state.living_annotations() if row.slot[:3] == of]
        return sorted(found, key=lambda row: (row.slot, row.order))

    def written(self, key: TraceKey, write_ids: Sequence[str]) -> Sequence[Annotation]:
        """See ``AnnotationStore.written``."""
        found = [
            r
            for r in self._state.living_annotations()
            if r.slot.key == key and r.write_id in write_ids
        ]
        return sorted(found, key=lambda row: (row.slot, row.revision))

    def announcing_judgements(self, keys: Iterable[TraceKey]) -> AbstractContextManager[None]:
        """See ``AnnotationStore.announcing_judgements``."""
        return self._state.announcing_judgements(keys)


class MemorySchemes(MemorySubject):
    """Annotation schemes, with every stored text of each."""

    def put(self, scheme: StoredScheme) -> None:
        """See ``SchemeStore.put``."""
        with self._state.lock:
            self._state.schemes[scheme.project, scheme.name, scheme.hash] = scheme

    def list(self, reach: Reach, name: str = "") -> Sequence[StoredScheme]:
        """See ``SchemeStore.list``."""
        newest: dict[tuple[str, str], StoredScheme] = {}
        for scheme in sorted(self._state.schemes.values(), key=lambda s: s.at_us):
            if reach.covers(scheme.project) and name in ("", scheme.name):
                newest[scheme.project, scheme.name] = scheme
        return [newest[place] for place in sorted(newest)]

    def text(self, project: str, name: str, scheme_hash: str) -> StoredScheme | None:
        """See ``SchemeStore.text``."""
        return self._state.schemes.get((project, name, scheme_hash))


class MemoryVersions(MemorySubject):
    """Stored versions of runs; the current versions are in the shared state."""

    def keep(self, kept: KeptVersion) -> None:
        """See ``VersionKeeper.keep``."""
        with self._state.lock:
            same = (
                k for k in self._state.kept.values() if (k.key, k.hash) == (kept.key, kept.hash)
            )
            document = next((k.document for k in same), kept.document)
            self._state.kept[kept.key, kept.version] = replace(kept, document=document)

    def has(self, key: TraceKey, version: int) -> bool:
        """See ``VersionKeeper.has``."""
        return self.get(key, version) is not None

    def get(self, key: TraceKey, version: int) -> KeptVersion | None:
        """See ``VersionKeeper.get``."""
        return None if key in self._state.deleted else self._state.kept.get((key, version))

    def list(self, key: TraceKey) -> Sequence[KeptAt]:
        """See ``VersionKeeper.list``."""
        kept = () if key in self._state.deleted else self._state.kept.values()
        found = [KeptAt(one.version, one.at_us) for one in kept if one.key == key]
        return sorted(found, reverse=True)

    def current(self, key: TraceKey) -> int:
        """See ``VersionKeeper.current``."""
        record = self._state.records.get(key)
        return record.version if record else 0

    def currents(self, keys: Sequence[TraceKey]) -> Mapping[TraceKey, int]:
        """See ``VersionKeeper.currents``."""
        return {key: version for key in set(keys) if (version := self.current(key))}


def _score_of(row: Annotation) -> Score:
    """Return the score of an annotation, as the view in ``11_scores.sql`` does."""
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
