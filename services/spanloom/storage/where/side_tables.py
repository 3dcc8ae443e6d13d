"""Compiles conditions on other tables: texts, annotations, scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.annotation.queue import withheld_from_all
from spanloom.core.errors import InvalidQueryError
from spanloom.core.query.where.fields import Subject
from spanloom.core.query.where.text_query import parse_text_query
from spanloom.core.query.where.tree import Compare, Exists, In, Operator
from spanloom.core.records.hit import Part
from spanloom.storage.annotations.queues import ReadQueues
from spanloom.storage.engine.parameters import Condition, within
from spanloom.storage.texts.search import having_text
from spanloom.storage.where.columns import Column
from spanloom.storage.where.comparisons import any_step

if TYPE_CHECKING:
    from spanloom.core.model.access import Reach
    from spanloom.storage.engine.connection import Connection
    from spanloom.storage.where.comparisons import Literals


class SideTables:
    """Access to texts, annotations and scores, restricted to the rows that the reader may see."""

    def __init__(self, connection: Connection, reach: Reach) -> None:
        """Use the connection for lookups, and the reader's reach."""
        self.connection = connection
        self.reach = within(reach)
        self._projects = reach
        self._visible: Condition | None = None

    @property
    def visible(self) -> Condition:
        """The condition that annotations and scores of a run are visible: in reach, not withheld.

        Annotations and scores that a blind queue withholds from anyone are hidden here, because the
        caller is anonymous.
        """
        if self._visible is None:
            withheld = withheld_from_all(ReadQueues(self.connection), self._projects)
            self._visible = _without(self.reach, sorted(withheld))
        return self._visible


def _without(reach: Condition, withheld: list[tuple[str, str]]) -> Condition:
    if not withheld:
        return reach
    text = (
        f"{reach.text} AND (Project, TraceId) NOT IN"
        " JSONExtract({withheld:String}, 'Array(Tuple(String, String))')"
    )
    return Condition(text, {**reach.values, "withheld": withheld})


_STEP_ID = "leftPad(lower(hex(StepId)), 16, '0')"
_PLACES = {Subject.RUN: "(Project, TraceId)", Subject.STEP: f"(Project, TraceId, {_STEP_ID})"}
_NAMED = {Subject.RUN: "Project, TraceId", Subject.STEP: "Project, TraceId, StepId"}
_NUMBER = "assumeNotNull(newest.1)"
_TARGETS = {Subject.RUN: "trajectory", Subject.STEP: "step"}


def annotated(subject: Subject, tables: SideTables, literals: Literals) -> Column:
    """Return a flag column: whether a run or step has an annotation that was not deleted later."""
    literals.values.update(tables.visible.values)
    return Column(
        f"({_PLACES[subject]} IN (SELECT {_NAMED[subject]} FROM annotations"  # noqa: S608
        f" WHERE {tables.visible.text} GROUP BY Project, TraceId, Scheme, Annotator, StepId"
        " HAVING NOT argMax(IsDeleted, (Revision, AtUnixMicro, WriteId))))"
    )


def scored(
    where: Compare | In | Exists, subject: Subject, tables: SideTables, literals: Literals
) -> str:
    """Return the condition that one of the values of a score meets the comparison.

    ``!=`` means that there are values, but none is equal.
    """
    literals.values.update(tables.visible.values)
    name = literals.text(where.key)
    match where:
        case Compare(field, Operator.NOT_EQUAL, value):
            equal = f"{_NUMBER} = {literals.of(field.type, value)}"
            some, none = (_any_score(subject, tables, name, c) for c in ("true", equal))
            return f"({some} AND NOT {none})"
        case Compare(field, operator, value):
            condition = f"{_NUMBER} {operator.value} {literals.of(field.type, value)}"
        case In(field, values):
            condition = f"has({literals.list_of(field.type, values)}, {_NUMBER})"
        case Exists():
            condition = "true"
    return _any_score(subject, tables, name, condition)


def _any_score(subject: Subject, tables: SideTables, name: str, condition: str) -> str:
    """Return the condition that a current score of this name meets ``condition``."""
    last = "argMax((ValueNumber, NOT IsDeleted AND Status = 'ok'), Revision)"
    return (
        f"({_PLACES[subject]} IN (SELECT {_NAMED[subject]} FROM ("  # noqa: S608  # no literal
        f"SELECT {_NAMED[subject]}, {last} AS newest FROM scores WHERE {tables.visible.text}"
        f" AND Target = '{_TARGETS[subject]}' AND Name = {name}"
        " GROUP BY Project, TraceId, StepId, ScoreId)"
        f" WHERE newest.2 AND isNotNull(newest.1) AND {condition}))"
    )


def words_of_run(words: str, part: str, tables: SideTables, literals: Literals) -> str:
    """Return the condition that one text of a run has all these words; empty ``part`` means any."""
    return any_step(words_of_step(words, part, tables, literals))


def words_of_step(words: str, part: str, tables: SideTables, literals: Literals) -> str:
    """Return the condition that a step has a text with all of these words.

    A text counts only if the step in the stored run has its hash; other texts are of older
    versions.
    """
    if not words:
        raise InvalidQueryError(f'{part} is asked for words: {part}: "rate limit"', "where")
    wanted = having_text(tables.connection, parse_text_query(words), literals.next_name())
    literals.values.update({**wanted.values, **tables.reach.values})
    parts = literals.texts([part] if part else [str(one) for one in Part])
    rows = f"{tables.reach.text} AND Part IN {parts} AND {wanted.text}"
    return (
        "((Project, StartTimeUnixNano, TraceId, StepId, StepText) IN ("  # noqa: S608  # no literal
        f"SELECT Project, TrajectoryStart, TraceId, StepId, Hash FROM step_texts WHERE {rows}))"
    )
