"""The blocking calls of the annotation routes: reads, writes, and their results as JSON."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import groupby
from typing import Any

import orjson

from spanloom.annotation import writing
from spanloom.annotation.reading import ResolvedAnnotation, score_now, withheld_from
from spanloom.annotation.requests import InvalidWritesError, Problem, Session, Write
from spanloom.annotation.schemes import UnknownSchemeError
from spanloom.annotation.writing import Written
from spanloom.api.annotations.schemas import BulkRequest, shown
from spanloom.api.runs.places import or_404
from spanloom.api.services import Services
from spanloom.core.annotation.marks import Score, plain
from spanloom.core.annotation.scheme import Scheme
from spanloom.core.model.access import Reach
from spanloom.core.model.span import TraceKey


async def home_of(using: Services, trace_id: str, callers: Reach, project: str | None) -> TraceKey:
    """Return the key of a trajectory; raises 404 if the caller may see no such trajectory."""
    reach = callers.narrowed(project)
    return or_404(
        await using.calls.run(using.store.spans.find_home, trace_id, reach), trace_id, project
    )


def open_session(
    using: Services, key: TraceKey, scheme: str, annotator: str, version: int | None
) -> Session:
    """Return the session of an annotator, scheme and version; raises ``UnknownSchemeError``."""
    found = using.annotating.schemes.find(key.project, scheme)
    return Session(key, found, annotator, version or 0)


def keep(using: Services, key: TraceKey, version: int) -> bytes | None:
    """Store a version permanently and return it as JSON; ``None`` if it is no longer stored."""
    versions = using.annotating.versions
    if not versions.keep(key, version, using.annotating.writing.now_us()):
        return None
    versions.anchors(key, version)  # computed now, so that the first save is fast
    return orjson.dumps({"trace_id": key.trace_id, "version": version})


def mark_all(using: Services, session: Session, requested: BulkRequest) -> Written:
    """Annotate each step that has no judgement yet.

    Raises ``InvalidWritesError`` if there are too many such steps.
    """
    annotating = using.annotating
    version = session.version or annotating.versions.current(session.key)
    anchors = annotating.versions.anchors(session.key, version)
    rows = annotating.reading.of_trace(session.key, session.scheme.name, session.annotator)
    judged = {r.standing.step_id for r in rows if r.annotation.mark.correctness}
    steps = anchors.below(requested.below) if anchors else ()
    writes = [
        Write(step.id, requested.write_id, {"correctness": requested.correctness})
        for step in steps
        if step.is_judged and step.id not in judged
    ]
    if len(writes) > writing.MOST_ROWS:
        excess = (
            f"{len(writes):,} steps have no mark, and {writing.MOST_ROWS:,} is the most at once"
        )
        raise InvalidWritesError([Problem(0, "below", f"{excess}: name a branch")])
    return annotating.writing.write(session._replace(version=version), writes)


def listed(using: Services, key: TraceKey, reader: str, scheme: str, annotator: str) -> bytes:
    """Return the annotations of a trajectory that a reader may see, as JSON with scores."""
    is_withheld = withheld_from(using.store.queues, Reach.only(key.project), reader)
    version = using.annotating.versions.current(key)
    every = using.annotating.reading.of_trace(key, scheme, annotator, version)
    rows = [row for row in every if not is_withheld(key, row.annotation.slot.annotator)]
    scores = _scores(using, key, version, rows)
    return _answer(key, version, rows, scores, len(every) - len(rows))


def listed_rows(
    using: Services, key: TraceKey, reader: str, scheme: str, annotator: str
) -> tuple[Iterator[Mapping[str, Any]], Mapping[str, object]]:
    """Return a lazy iterator over the rows of ``listed``, and members for the final JSON line.

    Read the members after the last row: they count the ``withheld`` rows during the iteration.
    """
    is_withheld = withheld_from(using.store.queues, Reach.only(key.project), reader)
    version = using.annotating.versions.current(key)
    end_members = {**key._asdict(), "version": version, "withheld": 0}

    def visible() -> Iterator[Mapping[str, Any]]:
        for row in using.annotating.reading.each_of_trace(key, scheme, annotator, version):
            if is_withheld(key, row.annotation.slot.annotator):
                end_members["withheld"] += 1
            else:
                yield shown(row)

    return visible(), end_members


def written(using: Services, session: Session, done: Written) -> bytes:
    """Return as JSON the written rows, and a score of all annotations by the annotator."""
    key = session.key
    rows = using.annotating.reading.resolve(key, done.rows, done.version)
    named = {"scheme": session.scheme.name, "annotator": session.annotator}
    scores = [] if done.score is None else [{**named, **_figures(done.score)}]
    return _answer(key, done.version, rows, scores, 0)


def _answer(
    key: TraceKey,
    version: int,
    rows: Sequence[ResolvedAnnotation],
    scores: Sequence[Mapping[str, Any]],
    withheld: int,
) -> bytes:
    return orjson.dumps(
        {
            "trace_id": key.trace_id,
            "project": key.project,
            "version": version,
            "withheld": withheld,
            "items": list(map(shown, rows)),
            "scores": scores,
        }
    )


def _scores(
    using: Services, key: TraceKey, version: int, rows: Sequence[ResolvedAnnotation]
) -> list[Mapping[str, Any]]:
    """Return a score for each annotator and known scheme with a score, computed from their rows."""
    found: list[Mapping[str, Any]] = []
    schemes = cache(lambda name: _scheme(using, key, name))
    for (_, name, annotator), group in groupby(rows, key=lambda row: row.annotation.slot[:3]):
        anchors = using.annotating.versions.anchors(key, version)
        scheme = schemes(name)
        if scheme is not None and scheme.has_score and anchors is not None:
            score = score_now(scheme, group, anchors.to_judge)
            found.append({"scheme": name, "annotator": annotator, **_figures(score)})
    return found


def _scheme(using: Services, key: TraceKey, name: str) -> Scheme | None:
    try:
        return using.annotating.schemes.find(key.project, name)
    except UnknownSchemeError:
        return None


def _figures(score: Score) -> Mapping[str, Any]:
    return {
        "score": plain(score.value),
        "score_complete": score.is_complete,
        "unjudged": score.unjudged,
        "unweighed": score.unweighed,
    }
