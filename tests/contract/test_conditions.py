"""A ``where`` evaluated on one run agrees with the list query, for all captures and fields."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson
import pytest
from tests.support.captured_records import captured_records
from tests.support.where_strategies import quoted

from spanloom.core.document import HeldDocument
from spanloom.core.matching.compiled import compile_for_runs
from spanloom.core.matching.fields import read_field
from spanloom.core.matching.of_document import row_of
from spanloom.core.matching.row import RunRow
from spanloom.core.model.access import Reach
from spanloom.core.query.selection import NEWEST_FIRST, RunSelection
from spanloom.core.query.where.fields import FIELDS, RUN_FIELDS, STEP_FIELDS, Field, Subject
from spanloom.core.query.where.parser import parse_where
from spanloom.core.query.where.tree import Operator
from spanloom.core.query.where.values import OPERATORS
from spanloom.core.records.declared import FieldType
from spanloom.storage.engine.parameters import Condition, batched, within
from spanloom.storage.where.compile import Compiler
from spanloom.storage.where.orders import ordered
from spanloom.storage.where.side_tables import SideTables

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from spanloom.core.ports.trajectories import TrajectoryRecord
    from spanloom.storage.store import ClickHouseStore

QUERY_MD = Path(__file__).parents[2] / "docs" / "query.md"
PROJECT = "captured-conditions"
NOW_NS = 1_800_000_000 * 10**9
REACH = Reach.only(PROJECT)
MANY = 10_000
AT_ONCE = 40
"""Conditions in one query."""
MOST_VALUES = 2
NUMBERS = {FieldType.NUMBER, FieldType.DURATION, FieldType.TIME}
PATTERNS = {Operator.MATCHES, Operator.MATCHES_NOT}
FLOORED = {Operator.AT_LEAST, Operator.LESS}
"""Comparisons with whole milliseconds whose result a fraction of one does not change."""
OF_FRACTIONS = {"wall_time", "first_token", "tokens_per_second"}
"""Fields computed from several times, which documents have in whole milliseconds only."""
IN_ORDER = re.compile(r"\b(then|next|within|position|repeat\w*|longest_repeat)\b|\binput:")
NO_STORE = re.compile(r"\b(annotated|score)\b")


class Queried(NamedTuple):
    """The captured runs in a store, and as rows for evaluation without a store."""

    store: ClickHouseStore
    records: Sequence[TrajectoryRecord]
    rows: Mapping[str, RunRow]
    """Rows made from the trajectories, by trace id."""
    documents: Mapping[str, RunRow]
    """Rows made from the documents, by trace id."""

    def __repr__(self) -> str:
        """Return the project only, to keep pytest's output short."""
        return PROJECT

    def listed(self, where: str) -> set[str]:
        selection = RunSelection(parse_where(where, NOW_NS))
        lines = self.store.runs.list(REACH, None, MANY, None, selection)
        return {line.key.trace_id for line in lines}

    def all_listed(self, wheres: Sequence[str]) -> Sequence[set[str]]:
        """Return the trace ids that the list query finds for each condition, in one query."""
        connection = self.store.connections.asker
        compiler = Compiler(SideTables(connection, REACH))
        held = [compiler.to_sql(parse_where(one, NOW_NS), Subject.RUN) for one in wheres]
        columns = Condition(f"TraceId, [{', '.join(held)}] AS Held", compiler.literals.values)
        rows = list(
            connection.rows(
                "list_candidates",
                columns=columns,
                reach=within(REACH),
                filter=Condition("true", {}),
                most=MANY,
                **ordered(NEWEST_FIRST, None),
            )
        )
        return [{row.TraceId for row in rows if row.Held[at]} for at in range(len(wheres))]


@pytest.fixture(scope="module")
def queried(clickhouse_store: ClickHouseStore) -> Queried:
    records = captured_records(PROJECT)
    clickhouse_store.trajectories.write(records)
    clickhouse_store.text_index.index_texts([record.key for record in records])
    rows = {
        one.key.trace_id: RunRow(one.trajectory, one.version, one.status, seq=one.seq)
        for one in records
    }
    documents = {
        one.key.trace_id: row_of(HeldDocument(orjson.loads(one.document))) for one in records
    }
    return Queried(clickhouse_store, records, rows, documents)


def answered(rows: Mapping[str, RunRow], where: str) -> set[str]:
    holds = compile_for_runs(parse_where(where, NOW_NS))
    return {trace_id for trace_id, row in rows.items() if holds(row).holds}


def in_the_same_order(queried: Queried) -> set[str]:
    """Return the ids of runs whose steps have the same order in trajectory and document."""
    return {
        trace_id
        for trace_id, row in queried.rows.items()
        if [flat.step.id for flat in row.steps]
        == [flat.step.id for flat in queried.documents[trace_id].steps]
    }


def examples() -> Iterator[str]:
    """Yield every example condition of the documentation, and the example of every field."""
    block = r"<!-- example: questions -->\n```text\n(.*?)```"
    for text in re.findall(block, QUERY_MD.read_text(), re.DOTALL):
        yield from text.splitlines()
    yield from (field.example for field in RUN_FIELDS.values())
    yield from (f"has({field.example})" for field in STEP_FIELDS.values())


def test_every_example_is_answered_as_by_the_list(queried: Queried) -> None:
    same_order = in_the_same_order(queried)
    assert len(same_order) > 0.98 * len(queried.rows)
    for where in (one for one in examples() if not NO_STORE.search(one)):
        listed = queried.listed(where)
        assert answered(queried.rows, where) == listed, where
        if "duration" in where or "per_second" in where:
            continue  # fractions of a millisecond may decide; tested below
        seen = same_order if IN_ORDER.search(where) else set(queried.rows)
        assert answered(queried.documents, where) & seen == listed & seen, where


@pytest.mark.parametrize("subject", Subject)
def test_every_field_is_compared_as_by_the_list(queried: Queried, subject: Subject) -> None:
    some = 0
    fields = FIELDS[subject].values()
    told = [one for field in fields for one in questions(field, subject, queried)]
    for several in batched(told, AT_ONCE):
        found = queried.all_listed([where for where, _ in several])
        for (where, is_exact), listed in zip(several, found, strict=True):
            assert answered(queried.rows, where) == listed, where
            some += 0 < len(listed) < len(queried.rows)
            if is_exact:
                assert answered(queried.documents, where) == listed, where
    assert some > 100


def questions(field: Field, subject: Subject, queried: Queried) -> Iterator[tuple[str, bool]]:
    """Yield conditions on a field, and whether a document alone suffices to evaluate each.

    They compare the field of a run, or of one of its steps, with values of the captures.
    """
    if field.is_judgement or field.type is FieldType.WORDS:
        return
    form = "{}" if subject is Subject.RUN else "has({})"
    for key, values in values_of(field, subject, queried):
        name = f"{field.name}.{quoted(key)}" if key else field.name
        is_timed = field.type is FieldType.DURATION
        is_exact = field.name not in OF_FRACTIONS and field.name not in {"position", "start"}
        yield form.format(name if field.type is FieldType.FLAG else f"{name} exists"), is_exact
        for value in values:
            for sign in OPERATORS[field.type]:
                told = _pattern(value) if sign in PATTERNS else value
                where = form.format(f"{name} {sign.value} {told}")
                yield where, is_exact and (not is_timed or sign in FLOORED)
        if field.type is not FieldType.FLAG:
            among = ", ".join(values)
            yield form.format(f"{name} not in ({among})"), is_exact and not is_timed


def values_of(
    field: Field, subject: Subject, queried: Queried
) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield each key of a field ("" if it has none) with its most frequent and rarest values."""
    for key in _keys(field, subject, queried):
        read = read_field(field, key, subject)
        rows = queried.rows.values()
        of = rows if subject is Subject.RUN else (step for row in rows for step in row.each_step())
        counts = Counter(str(v) for row in of for v in read(row) or () if _is_plain(v))
        seen = [value for value, _ in counts.most_common()]
        values = dict.fromkeys([*seen[: MOST_VALUES - 1], *seen[-1:]])
        yield key, [_literal(field, value) for value in values] or [_literal(field, "")]


def _keys(field: Field, subject: Subject, queried: Queried) -> Sequence[str]:
    if not field.has_keys:
        return [""]
    column = "Attributes" if subject is Subject.RUN else "Steps.Attributes"
    told: list[Any] = [row[column] for row in queried.rows.values()]
    pairs = told if subject is Subject.RUN else [items for steps in told for items in steps]
    counts = Counter(pair.partition("=")[0] for some in pairs for pair in some)
    return [key for key, _ in counts.most_common(2)]


def _is_plain(value: object) -> bool:
    return not isinstance(value, str) or (value.isprintable() and len(value) < 200)


def _literal(field: Field, value: str) -> str:
    number = float(value or 0) if field.type in NUMBERS else 0
    return {
        FieldType.TEXT: quoted(value),
        FieldType.FLAG: (value or "true").lower(),
        FieldType.CHOICE: value or "",
        FieldType.INTEGER: value or "0",
        FieldType.NUMBER: f"{number:.6f}",
        FieldType.DURATION: f"{int(number) // 10**6}ms",
        FieldType.TIME: f"-{(NOW_NS - int(number)) // 10**9}s",
    }[field.type]


def _pattern(literal: str) -> str:
    """Return a pattern that matches characters within a quoted text."""
    text = literal[1:-1]
    return quoted(re.sub(r"\W", ".", text[1:6]).lower() or "x")


def test_words_are_found_as_by_the_index(queried: Queried) -> None:
    wheres = [
        form.format(words)
        for words in ("weather", "paris", "error", "kyoto flight", "上海", "rate limit", "trip")
        for form in (
            *('"{}"', 'input: "{}"', 'output: "{}"', 'error: "{}"'),
            'count(input: "{0}") >= 2 or has(input: "{0}" and type = model)',
            'has(output: "{0}" and type = tool)',
        )
    ]
    for where, listed in zip(wheres, queried.all_listed(wheres), strict=True):
        assert answered(queried.rows, where) == answered(queried.documents, where) == listed, where
