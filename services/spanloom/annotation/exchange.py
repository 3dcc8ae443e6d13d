"""Exports and imports annotations as JSON entries, and exports annotation tasks for Potato.

An entry has the annotations of one annotator on one run by one scheme.
"""

from __future__ import annotations

from itertools import groupby
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import orjson

from spanloom.annotation.entries import (
    RefusedEntryError,
    as_write,
    flags_of,
    is_stored,
    marks_of,
    plain_places,
    texts_of,
    write_step,
)
from spanloom.annotation.pages import every_annotation
from spanloom.annotation.reading import score_now
from spanloom.annotation.requests import InvalidWritesError, Session
from spanloom.annotation.schemes import UnknownSchemeError
from spanloom.core.annotation.marks import plain
from spanloom.core.annotation.potato.folder import TaskWriter
from spanloom.core.annotation.scheme_reader import plain_scheme
from spanloom.core.model.access import Reach
from spanloom.core.model.annotation import WHOLE, Mark, Origin
from spanloom.core.model.span import TraceKey

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from spanloom.annotation.reading import Reading, ResolvedAnnotation
    from spanloom.annotation.schemes import Schemes
    from spanloom.annotation.versions import Versions
    from spanloom.annotation.writing import Writing
    from spanloom.core.annotation.anchors import Anchors
    from spanloom.core.ports.annotations import AnnotationQuery, AnnotationStore
    from spanloom.core.ports.reading import DocumentReader

    Json = dict[str, Any]  # a JSON object


class ImportOutcome(NamedTuple):
    """The result of importing an entry, or the reason why it was refused."""

    added: int = 0
    """Number of new rows."""
    there: int = 0
    """Number of rows that were already stored."""
    flags: Sequence[str] = ()
    """Messages about values that were stored although the scheme does not allow them."""
    refused: str = ""
    """Why the entry was refused as a whole; empty if it was accepted."""


class Exchange:
    """Exports annotations as entries, and imports entries."""

    def __init__(
        self,
        annotations: AnnotationStore,
        schemes: Schemes,
        versions: Versions,
        reading: Reading,
        writing: Writing,
    ) -> None:
        """Export annotations as ``reading`` returns them; import entries through ``writing``."""
        self._annotations = annotations
        self._schemes = schemes
        self._versions = versions
        self._reading = reading
        self._writing = writing

    def entries(
        self,
        reach: Reach,
        query: AnnotationQuery,
        withheld: Callable[[TraceKey, str], bool],
    ) -> Iterator[Json]:
        """Yield the entries of a query, ordered by project, trace, scheme and annotator."""
        rows = (
            row
            for row in every_annotation(self._annotations, reach, query)
            if not row.is_deleted and not withheld(row.slot.key, row.slot.annotator)
        )
        for key, of_trace in groupby(rows, key=lambda row: row.slot.key):
            resolved = self._reading.resolve(key, of_trace)
            anchors = self._versions.anchors(key, self._versions.current(key))
            for _, group in groupby(resolved, key=lambda row: row.annotation.slot[:3]):
                yield self._entry(list(group), anchors)

    def import_entry(self, project: str, entry: Json, *, is_dry_run: bool) -> ImportOutcome:
        """Import an entry and return the outcome; the same entry again adds nothing."""
        try:
            session, anchors = self._session(project, entry)
            marks = dict(marks_of(entry, anchors))
        except (RefusedEntryError, UnknownSchemeError) as error:
            return ImportOutcome(refused=str(error))
        stored = self._stored(session)
        new = {place: m for place, m in marks.items() if not is_stored(stored.get(place), m)}
        if not new:
            return ImportOutcome(0, len(marks), flags_of(session.scheme, marks))
        writes = [as_write(session, place, mark) for place, mark in new.items()]
        try:
            done = self._writing.write(session, writes, is_dry_run=is_dry_run)
        except InvalidWritesError as error:
            return ImportOutcome(refused=str(error))
        return ImportOutcome(done.added, len(marks) - done.added, flags_of(session.scheme, marks))

    def _stored(self, session: Session) -> Mapping[str, Mark]:
        """Return the stored annotations by the entry's annotator, keyed by current step id."""
        key, scheme, annotator, *_ = session
        rows = self._reading.of_trace(key, scheme.name, annotator, session.version)
        return {row.standing.step_id: row.annotation.mark for row in rows if row.counts}

    def _entry(self, rows: Sequence[ResolvedAnnotation], anchors: Anchors | None) -> Json:
        last = max((row.annotation for row in rows), key=lambda annotation: annotation.at_us)
        (project, trace_id), scheme, annotator, _ = last.slot
        judged = list(anchors.judged) if anchors else []
        places = {step_id: at for at, step_id in enumerate(judged)}
        steps = [write_step(row, places) for row in rows if row.annotation.slot.step_id != WHOLE]
        entry: Json = {
            "project": project,
            "trace_id": trace_id,
            "scheme": scheme,
            "scheme_hash": last.scheme_hash,
            "annotator": annotator,
            "origin": last.origin.value,
            "version": last.anchor.version,
            "n_steps": len(judged),
            "steps": sorted(steps, key=lambda step: step.get("step_index", len(judged))),
        }
        whole = next((row for row in rows if row.annotation.slot.step_id == WHOLE), None)
        if whole is not None:
            entry["value"] = {**texts_of(whole.annotation.mark), **whole.annotation.mark.value}
            entry |= {"places": plain_places(whole)} if whole.places else {}
        return {**entry, **self._score(project, scheme, rows, judged)}

    def _score(
        self, project: str, name: str, rows: Sequence[ResolvedAnnotation], judged: Sequence[str]
    ) -> Json:
        try:
            scheme = self._schemes.find(project, name)
        except UnknownSchemeError:
            return {}
        if not scheme.has_score:
            return {}
        score = score_now(scheme, rows, frozenset(judged))
        return {"score": plain(score.value), "score_complete": score.is_complete}

    def _session(self, project: str, entry: Json) -> tuple[Session, Anchors]:
        trace_id, annotator = entry.get("trace_id"), entry.get("annotator")
        if not isinstance(trace_id, str) or not isinstance(annotator, str) or not annotator:
            raise RefusedEntryError("it needs trace_id and annotator, as texts")
        key = TraceKey(project, trace_id)
        version = self._versions.current(key)
        anchors = self._versions.anchors(key, version)
        if anchors is None:
            raise RefusedEntryError(f"there is no trajectory {trace_id} in project {project!r}")
        scheme = self._schemes.find(project, str(entry.get("scheme", "")))
        is_decided = entry.get("origin") == Origin.ADJUDICATION  # also excluded from agreement here
        origin = Origin.ADJUDICATION if is_decided else Origin.IMPORT
        session = Session(key, scheme, annotator, version, origin, is_lenient=True)
        return session, anchors


class Tasks:
    """Writes annotation tasks for the tool Potato."""

    def __init__(self, documents: DocumentReader, schemes: Schemes, exchange: Exchange) -> None:
        """Read runs from ``documents``, and their annotations from ``exchange``."""
        self._documents = documents
        self._schemes = schemes
        self._exchange = exchange

    def write(
        self,
        create: Callable[[str], IO[bytes]],
        project: str,
        query: AnnotationQuery,
        withheld: Callable[[TraceKey, str], bool],
        runs: Sequence[str] | None = None,
    ) -> Iterator[None]:
        """Write the files of a task with the annotations that a query selects.

        Unless ``runs`` is ``None``, the task has only these runs. Yields after each run and each
        file; only one run, and the ids of all runs, are in memory.
        """
        reach, names = Reach.only(project), {query.scheme}
        with TemporaryFile() as scratch:
            writer = TaskWriter("spanloom", create, scratch)
            for trace_id, entries in self._entries(reach, query, withheld, runs):
                if (document := self._documents.get(trace_id, reach)) is not None:
                    writer.add(orjson.loads(document), entries)
                    names |= {entry["scheme"] for entry in entries}
                    yield
            schemes = [self._plain(project, name) for name in sorted(names - {""})]
            for _ in writer.finish([scheme for scheme in schemes if scheme is not None]):
                yield

    def _entries(
        self,
        reach: Reach,
        query: AnnotationQuery,
        withheld: Callable[[TraceKey, str], bool],
        runs: Iterable[str] | None,
    ) -> Iterator[tuple[str, Sequence[Json]]]:
        """Yield trace id and entries of each run in ``runs``, or of all runs with entries."""
        if runs is None:
            entries = self._exchange.entries(reach, query, withheld)
            for trace_id, group in groupby(entries, key=lambda entry: str(entry["trace_id"])):
                yield trace_id, list(group)
            return
        for trace_id in dict.fromkeys(runs):
            of_run = query._replace(trace_id=trace_id)
            yield trace_id, list(self._exchange.entries(reach, of_run, withheld))

    def _plain(self, project: str, name: str) -> Json | None:
        try:
            scheme = plain_scheme(self._schemes.find(project, name).text, name)
        except UnknownSchemeError:
            return None
        return scheme if isinstance(scheme, dict) else None
