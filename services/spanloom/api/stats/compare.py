"""The route that compares the behaviour of two sets of runs."""

from fastapi import APIRouter

from spanloom.api.http.doorkeeper import CallersReach
from spanloom.api.http.needs import needs
from spanloom.api.http.problems import store_problems
from spanloom.api.query import read_where
from spanloom.api.services import Using, refuse_words
from spanloom.api.stats.compare_schemas import (
    MOST_RUNS,
    ComparedQuery,
    ComparedRuns,
    condition_of_question,
)
from spanloom.api.stats.examples import COMPARED
from spanloom.core.model.access import Reach, Scope
from spanloom.core.ports.reading import StatsReader
from spanloom.core.query.where.problems import both
from spanloom.evaluation.comparison.behaviour import compare_observed
from spanloom.evaluation.comparison.observing import Observed, observe
from spanloom.evaluation.comparison.result import Behaviour

router = APIRouter(tags=["questions"])


@router.post(
    "/v1/compare",
    operation_id="compareBehaviour",
    summary="Compare the behaviour of two sets of runs",
    response_model=Behaviour,
    responses={200: COMPARED, **store_problems(413, 501)},
)
@needs(Scope.READ, is_of_page=True)
async def compare_behaviour(query: ComparedQuery, callers: CallersReach, using: Using) -> Behaviour:
    """Return how the runs of B differ from the runs of A; nothing is stored.

    The newest 10,000 runs of each set are compared, without runs that only repeat another and runs
    without a step. `runs_a` and `runs_b` are queries that list the counted runs.
    """
    for condition in both(
        lambda: read_where(query.a.where, "a.where"), lambda: read_where(query.b.where, "b.where")
    ):
        refuse_words(using, condition)
    return await using.calls.run(_compare, using.store.stats, callers, query)


def _compare(store: StatsReader, callers: Reach, query: ComparedQuery) -> Behaviour:
    runs_a, question_a, is_cut_a = _read(store, callers, query.a)
    runs_b, question_b, is_cut_b = _read(store, callers, query.b)
    answer = compare_observed(
        runs_a,
        runs_b,
        questions=(question_a, question_b),
        seed=query.seed,
        min_support=query.min_support,
    )
    cut = {"A": is_cut_a, "B": is_cut_b}
    answer.remarks += [f"of {name} the newest {MOST_RUNS:,} runs" for name in cut if cut[name]]
    return answer


def _read(
    store: StatsReader, callers: Reach, side: ComparedRuns
) -> tuple[list[Observed], str, bool]:
    """Return the newest runs of a set, their ``where``, and whether there are older runs."""
    question = side.question()
    shapes = store.shapes(callers, condition_of_question(question), MOST_RUNS + 1)
    if len(shapes) <= MOST_RUNS:
        return list(map(observe, shapes)), question, False
    after_ns = -(-shapes[-1].start_ns // 1_000) * 1_000  # times in a ``where`` are in microseconds
    newest = [observe(shape) for shape in shapes if shape.start_ns > after_ns]
    return newest, side.question(after_ns), True
