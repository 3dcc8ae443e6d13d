"""Stores the scores made from evaluation results in the telemetry (``core/scoring``).

Every build makes the scores again and compares them with the stored scores, so results sent twice,
a replay, or a second build after a crash change nothing. If a late span moves a result to
another step, its score moves too. Scores stored later through the API stay.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from spanloom.core.conventions.evaluations import trace_of_response
from spanloom.core.errors import RetryableError
from spanloom.core.model.span import TraceKey
from spanloom.core.scoring.placing import (
    BY_TELEMETRY,
    list_of_response,
    newest,
    response_window,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from spanloom.core.model.score import Score
    from spanloom.core.ports.building import BuildingStore
    from spanloom.extractor.result import BatchResult, Scoring


def settle_scores(store: BuildingStore, result: BatchResult) -> None:
    """Store the scores of a batch that differ from the stored scores; call after storing runs.

    Applies only to completely read traces, because a score whose span was not read would be
    removed. A trace whose scores the store rejects fails alone. Raises ``RetryableError`` if the
    store does not answer.
    """
    scoring = result.scoring
    if not (scoring.scores or scoring.responses or scoring.named):
        return
    whole = result.whole - result.lost - result.kept - result.failures.keys()
    _find_waiting(store, scoring, whole)
    _revisit_answered(store, result)
    keys = sorted(scoring.scores.keys() & whole)
    if keys:
        _store(store, keys, result)


def _find_waiting(store: BuildingStore, scoring: Scoring, whole: AbstractSet[TraceKey]) -> None:
    """Add scores from stored evaluation results whose response id occurs in these traces."""
    wanted: dict[TraceKey, list[tuple[TraceKey, str]]] = defaultdict(list)
    for key in scoring.responses.keys() & whole:
        for response_id, step_id in scoring.responses[key].items():
            waits = TraceKey(key.project, trace_of_response(response_id))
            wanted[waits].append((key, step_id))
    for waits, unplaced in store.spans.read_unplaced(sorted(wanted)).items():
        for key, step_id in wanted[waits]:
            found = list_of_response(key, step_id, unplaced)
            scoring.scores[key] = newest([*scoring.scores.get(key, ()), *found])


def _revisit_answered(store: BuildingStore, result: BatchResult) -> None:
    """Make stored runs due again that contain a response id named in an evaluation result."""
    by_project: dict[str, set[str]] = defaultdict(set)
    for key, named in result.scoring.named.items():
        by_project[key.project].update(named)
    for project, response_ids in by_project.items():
        windows = list(map(response_window, sorted(response_ids)))
        found = {call.key for call in store.calls.find(project, windows)}
        result.repeated_elsewhere += sorted(found.difference(result.seqs))


def _store(store: BuildingStore, keys: Sequence[TraceKey], result: BatchResult) -> None:
    try:
        known: dict[TraceKey, list[Score]] = defaultdict(list)
        for score in store.scores.of_traces(keys):
            known[score.key].append(score)
        scores = result.scoring.scores
        if changed := [c for key in keys for c in changes(scores[key], known[key])]:
            store.scores.add(changed)
    except RetryableError:
        raise
    except Exception as error:  # one refused score must not stop the other traces
        if len(keys) == 1:
            result.failures[keys[0]] = error
            return
        middle = len(keys) // 2
        _store(store, keys[:middle], result)
        _store(store, keys[middle:], result)


def changes(made: Iterable[Score], stored: Iterable[Score]) -> Iterator[Score]:
    """Yield the revisions that change the stored scores of one trace to the scores in ``made``.

    Stored scores that were not made from telemetry are changed only if they are older.
    """
    known = {score.id: score for score in stored}
    for score in made:
        before = known.pop(score.id, None)
        if before is None:
            yield score
        elif is_by_telemetry(before):
            if replace(score, revision=before.revision) != before:
                yield replace(score, revision=max(score.revision, before.revision + 1))
        elif before.revision < score.revision:
            yield score
    for before in known.values():
        if is_by_telemetry(before) and not before.is_deleted:
            yield replace(before, revision=before.revision + 1, is_deleted=True)


def is_by_telemetry(score: Score) -> bool:
    """Return whether a score was made from an evaluation result in the telemetry."""
    return score.step_hash.startswith(BY_TELEMETRY)
