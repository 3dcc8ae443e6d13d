"""A ``where`` finds the same runs in SQL, in memory, without a store, and in a plain loop."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, NamedTuple

import orjson
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.support.examples import examples
from tests.support.generated_runs import generate_records
from tests.support.generated_sayings import say_by_chance
from tests.support.memory_store import MemoryStore
from tests.support.memory_visible import visible_of
from tests.support.paging import read_pages
from tests.support.where_documents import LOOPS, found
from tests.support.where_strategies import HOSTILE, WHERES, map_parts, quoted

from spanloom.core.errors import InvalidQueryError
from spanloom.core.matching.compiled import compile_for_runs
from spanloom.core.matching.row import RunRow
from spanloom.core.matching.verdict import Judgements
from spanloom.core.model.access import Reach
from spanloom.core.query.selection import RunSelection, parse_order
from spanloom.core.query.where.parser import parse_where
from spanloom.core.query.where.tree import Chain, Compare, Count, In, Link
from spanloom.storage.where.compile import compile_where
from spanloom.storage.where.side_tables import SideTables

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.ports.store import Store
    from spanloom.core.ports.trajectories import TrajectoryRecord
    from spanloom.core.query.where import tree
    from spanloom.core.query.where.fields import Value
    from spanloom.storage.engine.connection import Connection
    from spanloom.storage.store import ClickHouseStore

RUNS = 250
"""Enough runs that every condition of the documentation finds some."""
FEW = 60
"""Runs for tests with many queries."""


class Asked(NamedTuple):
    """The same generated runs in both stores, and as rows for evaluation without a store."""

    stores: Sequence[Store]
    project: str
    records: Sequence[TrajectoryRecord]
    rows: Sequence[RunRow]
    """The runs as rows, for evaluation without a store."""
    connection: Connection

    def __repr__(self) -> str:
        """Return only the project, because Hypothesis prints it with each failure."""
        return self.project

    def answers(self, where: str) -> Sequence[set[str]]:
        """Return the trace ids found by each store and by evaluation without a store."""
        question = RunSelection(parse_where(where, now_ns=0))
        reach = Reach.only(self.project)
        return [
            *(
                {line.key.trace_id for line in store.runs.list(reach, None, RUNS, None, question)}
                for store in self.stores
            ),
            self._without_store(where),
        ]

    def _without_store(self, where: str) -> set[str]:
        holds = compile_for_runs(parse_where(where, now_ns=0))
        return {row.trajectory.trace_id for row in self.rows if holds(row).holds}


@pytest.fixture(scope="module")
def asked(clickhouse_store: ClickHouseStore) -> Asked:
    return _generated(clickhouse_store, RUNS)


@pytest.fixture(scope="module")
def few(clickhouse_store: ClickHouseStore) -> Asked:
    return _generated(clickhouse_store, FEW)


def _generated(clickhouse_store: ClickHouseStore, runs: int) -> Asked:
    project = f"p-{secrets.token_hex(4)}"
    memory = MemoryStore()
    records = generate_records(runs, project)
    for store in (clickhouse_store, memory):
        store.trajectories.write(records)
        say_by_chance(store, records)
    rows = [_row(record, memory) for record in records]
    stores = (clickhouse_store, memory)
    return Asked(stores, project, records, rows, clickhouse_store.connections.asker)


def _row(record: TrajectoryRecord, memory: MemoryStore) -> RunRow:
    row = RunRow(record.trajectory, record.version, record.status, seq=record.seq)
    told = visible_of(memory.state, record.key)
    of_steps = {step_id: Judgements(*said) for step_id, said in told.items() if step_id}
    is_annotated = any(said.is_annotated for said in told.values())
    scores = told[""].scores if "" in told else {}
    row.judgements = Judgements(is_annotated, scores, of_steps)
    return row


@pytest.mark.parametrize("question", LOOPS)
def test_a_question_is_answered_as_by_a_loop_over_documents(asked: Asked, question: str) -> None:
    documents = [orjson.loads(record.document) for record in asked.records]
    expected = found(question, documents)
    assert 0 < len(expected) < RUNS
    for answer in asked.answers(question):
        assert answer == expected


@settings(max_examples=examples(80))
@given(WHERES)
@example('metadata.tier != "gold" and agent !~ "^re" and not cost != 0.5')
@example("has(type exists under type exists) and has(duration exists child of position = 0)")
@example("has(type in (agent, tool) next type not in (model))")
@example("annotated and not has(annotated)")
@example("score.tier != 0.5 and has(score.tier < 0 then not annotated)")
@example("count(score.tier exists) >= 2 or score.tier in (0.25, 0.5) or annotated = false")
@example("has(error within 1000 error within 1000 error within 1000 error within 1000 error)")
def test_all_find_the_same_runs(few: Asked, where: str) -> None:
    compiled, evaluated, without_store = few.answers(where)
    assert compiled == evaluated == without_store


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_breaks_out_of_its_literal(few: Asked, asked: Asked, text: str) -> None:
    """Another project has the same runs and more, and none of them is returned."""
    assert len(asked.records) > len(few.records)
    own = {record.key.trace_id for record in few.records}
    written = quoted(text)
    for where, expected in {
        f"root_name = {written} or trace_id != {written}": own,
        f"root_name in ({written}) or agent = {written}": set(),
        f"has(name = {written} then tool = {written})": set(),
        f'metadata."{text.replace(chr(92), chr(92) * 2)}" exists': set(),
    }.items():
        for answer in few.answers(where):
            assert answer == expected


@pytest.mark.parametrize("pattern", ["a{1001}", "(?i-)x", "(?>a)", "a++"])
def test_a_pattern_that_re2_does_not_know_is_refused(
    clickhouse_store: ClickHouseStore, pattern: str
) -> None:
    def ask() -> None:
        question = RunSelection(parse_where(f"root_name ~ {quoted(pattern)}", now_ns=0))
        clickhouse_store.runs.list(Reach.ALL, None, 1, None, question)

    with pytest.raises(InvalidQueryError):
        ask()


@pytest.mark.parametrize("order", ["-cost", "cost", "-duration", "start", "-failures", "-start"])
def test_every_order_is_the_same_in_both_stores_page_by_page(few: Asked, order: str) -> None:
    question = RunSelection(order=parse_order(order))
    reach = Reach.only(few.project)
    whole = [
        [
            line.key.trace_id
            for line in read_pages(
                lambda most, at, store=store: store.runs.list(  # type: ignore[misc]
                    reach, None, most, at, question
                ),
                25,
            )
        ]
        for store in few.stores
    ]
    assert whole[0] == whole[1]
    assert len(whole[0]) == len(set(whole[0])) == FEW


@given(WHERES, st.data())
def test_exchanging_any_literal_never_changes_the_sql(
    few: Asked, where: str, data: st.DataObject
) -> None:
    condition = parse_where(where, now_ns=0)
    other = _exchanged(condition, data)
    tables = SideTables(few.connection, Reach.only(few.project))
    assert compile_where(condition, tables).text == compile_where(other, tables).text


def _exchanged(where: tree.Condition, data: st.DataObject) -> tree.Condition:
    """Return the same condition with other literals."""

    def value(old: Value) -> Value:
        kinds: dict[type, st.SearchStrategy[Value]] = {
            bool: st.booleans(),
            int: st.integers(0, 2**63 - 1),
            float: st.floats(0, 9),
        }
        return data.draw(kinds.get(type(old), st.text()))

    match where:
        case Compare(_, _, old, key):
            return where._replace(value=value(old), key=data.draw(st.text()) if key else "")
        case In(_, values):
            return where._replace(values=[value(old) for old in [*values, *values]])
        case Count():
            where = where._replace(number=data.draw(st.integers(0, 99)))
        case Chain():
            links = [li if li.most is None else Link(li.most + 1) for li in where.links]
            where = where._replace(links=links)
    return map_parts(where, lambda part: _exchanged(part, data))
