"""Stores scores of rules and models, for requests and for files that are imported."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from pydantic import ValidationError

from spanloom.annotation.requests import InvalidWritesError, Problem
from spanloom.api.annotations.score_schemas import ScoreRequest
from spanloom.core.model.access import Scope
from spanloom.core.model.score import Score

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from spanloom.annotation.schemes import Schemes
    from spanloom.api.services import Services
    from spanloom.core.model.access import Caller
    from spanloom.core.model.span import TraceKey
    from spanloom.core.ports.importing import StoreScores

    Rows: TypeAlias = Sequence[tuple[str, Mapping[str, object]]]


def store_scores(made: Sequence[Score], using: Services) -> int:
    """Store scores, and return of how many the trajectory is not there yet: they wait for it."""
    keys = keys_of(made)
    waiting = using.store.scores.without_run(keys)
    for key in keys:
        if key not in waiting:
            using.annotating.taking_in.take_in(key)
    using.store.scores.add(made)
    return sum(score.key in waiting for score in made)


def store_of_scores(caller: Caller, using: Services) -> StoreScores | None:
    """Return what stores the scores of a file: a bad one is refused alone.

    ``None`` for a caller who may not score runs.
    """
    if Scope.ANNOTATE not in caller.scopes:
        return None

    def store(rows: Rows) -> Sequence[str]:
        found = [_score_of(project, row, caller, using) for project, row in rows]
        scores = [one for one in found if isinstance(one, Score)]
        gone = using.store.feed.deleted_among(keys_of(scores))
        if kept := [score for score in scores if score.key not in gone]:
            store_scores(kept, using)
        return [_reason_of(one, gone) for one in found]

    return store


def keys_of(made: Sequence[Score]) -> Sequence[TraceKey]:
    """Return the trajectories of scores, each once."""
    return sorted({score.key for score in made if score.key.trace_id})


def deleted(key: TraceKey) -> str:
    """Return why a score of a trajectory cannot be stored."""
    return f"The trajectory {key.trace_id} was deleted."


def refuse_annotators(made: Sequence[Score], schemes: Schemes) -> None:
    """Raise ``InvalidWritesError`` for scores of people that their annotations make."""
    people = [(n, score) for n, score in enumerate(made) if score.source == "human"]
    names = {(score.key.project, score.name.removesuffix("/answer")) for _, score in people}
    taken = {name for name in names if schemes.has(*name)}
    problems = [
        Problem(n, "source", "scores of a scheme come from annotations, which can be imported")
        for n, score in people
        if (score.key.project, score.name.removesuffix("/answer")) in taken
    ]
    if problems:
        raise InvalidWritesError(problems)


def _score_of(
    project: str, row: Mapping[str, object], caller: Caller, using: Services
) -> Score | str:
    """Return a score, or why it is refused."""
    try:
        if not caller.may_see(project):
            return f"The key {caller.key_id} does not open that project."
        made = ScoreRequest.model_validate(row).score(project, using.annotating.writing.now_us())
        refuse_annotators([made], using.annotating.schemes)
    except ValidationError as error:
        first = error.errors()[0]
        return f"{'.'.join(map(str, first['loc']))}: {first['msg']}".removeprefix(": ")
    except InvalidWritesError as error:
        return "; ".join(f"{one.field}: {one.reason}" for one in error.problems)
    return made


def _reason_of(found: Score | str, gone: AbstractSet[TraceKey]) -> str:
    if isinstance(found, str):
        return found
    return deleted(found.key) if found.key in gone else ""
