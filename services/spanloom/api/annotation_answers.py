"""What the routes of annotations work out and answer; whatever blocks."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

import orjson

from spanloom.annotating.blind import withheld_from
from spanloom.annotating.reading import Stood, score_now
from spanloom.annotating.requests import Session, Write
from spanloom.annotating.schemes import UnknownSchemeError
from spanloom.api.annotation_schemas import BulkRequest, shown
from spanloom.api.routes.places import known
from spanloom.api.services import Services
from spanloom.core.annotation.score import plain
from spanloom.core.model.annotation import Annotation
from spanloom.core.model.span import TraceKey
from spanloom.core.model.tenancy import Reach


async def home_of(using: Services, trace_id: str, callers: Reach, project: str | None) -> TraceKey:
    """Return where a trajectory is; answers 404 where the caller may see none."""
    reach = callers.narrowed(project)
    return known(await using.calls.run(using.store.find_home, trace_id, reach), trace_id, project)


def open_session(
    using: Services, key: TraceKey, scheme: str, annotator: str, version: int | None
) -> Session:
    """Return who writes about which version; raises ``UnknownSchemeError``."""
    found = using.annotating.schemes.find(key.project, scheme)
    return Session(key, found, annotator, version or using.annotating.versions.current(key))


def keep(using: Services, key: TraceKey, version: int) -> bytes | None:
    """Keep a version, and return its document; ``None`` if it is not there any more."""
    versions = using.annotating.versions
    if not versions.keep(key, version, using.annotating.writing.now_us()):
        return None
    versions.anchors(key, version)  # so that the first save need not work them out
    return versions.document(key, version)


def mark_all(using: Services, session: Session, wanted: BulkRequest) -> Sequence[Annotation]:
    """Give one mark to each step that has none yet."""
    annotating = using.annotating
    anchors = annotating.versions.anchors(session.key, session.version)
    said = annotating.reading.of_trace(session.key, session.scheme.name, session.annotator)
    judged = {r.standing.step_id for r in said if r.said.mark.correctness}
    steps = anchors.below(wanted.below) if anchors else ()
    writes = [
        Write(step.id, wanted.write_id, {"correctness": wanted.correctness})
        for step in steps
        if step.is_judged and step.id not in judged
    ]
    return annotating.writing.write(session, writes).rows


def listed(using: Services, key: TraceKey, reader: str, scheme: str, annotator: str) -> bytes:
    """Return what a reader may see of the annotations of a trajectory."""
    is_withheld = withheld_from(using.store, Reach.only(key.project), reader)
    every = using.annotating.reading.of_trace(key, scheme, annotator)
    rows = [row for row in every if not is_withheld(key, row.said.slot.annotator)]
    return _answer(using, key, rows, rows, len(every) - len(rows))


def written(using: Services, session: Session, rows: Sequence[Annotation]) -> bytes:
    """Return the rows of a request, and the score that all marks of the annotator come to."""
    key, reading = session.key, using.annotating.reading
    every = reading.of_trace(key, session.scheme.name, session.annotator)
    return _answer(using, key, reading.stood(key, rows), every, 0)


def _answer(
    using: Services,
    key: TraceKey,
    rows: Sequence[Stood],
    scored: Sequence[Stood],
    withheld: int,
) -> bytes:
    return orjson.dumps(
        {
            "trace_id": key.trace_id,
            "project": key.project,
            "version": using.annotating.versions.current(key),
            "withheld": withheld,
            "items": list(map(shown, rows)),
            "scores": _scores(using, key, scored),
        }
    )


def _scores(using: Services, key: TraceKey, rows: Sequence[Stood]) -> list[Mapping[str, Any]]:
    """Return the score of every annotator and scheme, of all their rows."""
    found: list[Mapping[str, Any]] = []
    for (_, name, annotator), group in groupby(rows, key=lambda row: row.said.slot[:3]):
        score = _score(using, key, name, list(group))
        found += [{"scheme": name, "annotator": annotator, **score}] if score else []
    return found


def _score(
    using: Services, key: TraceKey, name: str, rows: Sequence[Stood]
) -> Mapping[str, Any] | None:
    annotating = using.annotating
    try:
        scheme = annotating.schemes.find(key.project, name)
    except UnknownSchemeError:
        return None
    anchors = annotating.versions.anchors(key, annotating.versions.current(key))
    if not scheme.has_score or anchors is None:
        return None
    score = score_now(scheme, rows, anchors.judged)
    return {
        "score": plain(score.value),
        "score_complete": score.is_complete,
        "unjudged": score.unjudged,
        "unweighed": score.unweighed,
    }
