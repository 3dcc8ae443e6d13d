"""A ``where`` gives the same result on a document as on the trajectory it was written from."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import orjson
from hypothesis import given
from hypothesis import strategies as st
from tests.support.generated_runs import MS, generate_records
from tests.support.where_strategies import WHERES

from spanloom.core.document import Document, HeldDocument
from spanloom.core.formats.canonical import encode_document
from spanloom.core.matching.compiled import compile_for_runs
from spanloom.core.matching.of_document import row_of
from spanloom.core.matching.row import RunRow
from spanloom.core.query.where.parser import parse_where

if TYPE_CHECKING:
    from random import Random

    from spanloom.core.model.step import Step
    from spanloom.core.ports.trajectories import TrajectoryRecord

WORDS = st.sampled_from(
    ['"ok"', 'input: "id"', 'not error: "退款"', 'has(error under output: "ok")']
)


def _apart(record: TrajectoryRecord) -> tuple[RunRow, Any]:  # Any: JSON of a document
    """Return a run whose steps begin in different milliseconds, and its document."""

    def moved(step: Step) -> Step:
        by_ns = int(step.id, 16) * MS
        return step._replace(start_ns=step.start_ns + by_ns, end_ns=step.end_ns + by_ns)

    agents = [
        agent._replace(step=moved(agent.step), steps=list(map(moved, agent.steps)))
        for agent in record.trajectory.agent_steps
    ]
    told = replace(record.trajectory, root=moved(record.trajectory.root), agent_steps=agents)
    document = orjson.loads(encode_document(told, record.version, record.status))
    return RunRow(told, record.version, record.status), document


RUNS = [_apart(record) for record in generate_records(40, "shop", seed=5)]


@given(WHERES | WORDS)
def test_a_document_has_all_that_decides(where: str) -> None:
    if "annotated" in where or "score" in where:
        return  # documents have no annotations or scores
    holds = compile_for_runs(parse_where(where, now_ns=0))
    for row, document in RUNS:
        assert holds(row_of(HeldDocument(document))) == holds(row)


@given(WHERES, st.randoms(use_true_random=False))
def test_the_places_of_steps_in_a_document_change_nothing(where: str, chance: Random) -> None:
    """Steps that start in different milliseconds may be in any order in a document."""
    holds = compile_for_runs(parse_where(where, now_ns=0))
    for _, document in RUNS[:10]:
        agents = [{**a, "steps": _shuffled(a["steps"], chance)} for a in document["agent_steps"]]
        other = {**document, "agent_steps": _shuffled(agents, chance)}
        assert holds(row_of(Document(other))) == holds(row_of(Document(document)))


def _shuffled(items: list[Any], chance: Random) -> list[Any]:
    return chance.sample(items, len(items))
