"""Compiles the syntax tree of a ``where`` to an SQL condition."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from spanloom.core.query.where.fields import Subject
from spanloom.core.query.where.tree import (
    And,
    Arithmetic,
    Calculation,
    Chain,
    Compare,
    Constant,
    Count,
    Counted,
    Exists,
    In,
    Not,
    Operand,
    Or,
    Under,
    Words,
)
from spanloom.core.records.declared import FieldType
from spanloom.storage.engine.parameters import Condition
from spanloom.storage.where import comparisons
from spanloom.storage.where import comparisons as shapes
from spanloom.storage.where.columns import COLUMNS
from spanloom.storage.where.comparisons import Literals, guards_of
from spanloom.storage.where.side_tables import annotated, scored, words_of_run, words_of_step

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.query.where import tree
    from spanloom.storage.where.side_tables import SideTables


def compile_where(where: tree.Condition, tables: SideTables) -> Condition:
    """Return the condition that a row of ``trajectory_list`` meets the ``where``."""
    compiler = Compiler(tables)
    return Condition(compiler.to_sql(where, Subject.RUN), compiler.literals.values)


def compile_each(wheres: Sequence[tree.Condition], tables: SideTables) -> Condition:
    """Return an SQL array with, for each ``where``, 1 if a row of ``trajectory_list`` meets it.

    Otherwise the element is 0.
    """
    compiler = Compiler(tables)
    met = (f"toUInt8({compiler.to_sql(where, Subject.RUN)})" for where in wheres)
    return Condition(f"[{', '.join(met)}]", compiler.literals.values)


def passing(where: tree.Condition | None, prefix: str = "f") -> Condition:
    """Return the condition that a row passes filters, which depend only on its columns.

    Its parameters have another prefix than the parameters of a ``where``, so both may be in one
    query.
    """
    if where is None:
        return Condition("true", {})
    compiler = Compiler(None, prefix)
    return Condition(compiler.to_sql(where, Subject.RUN), compiler.literals.values)


class Compiler:
    """Compiles conditions to SQL and collects their literals as parameters of the query."""

    def __init__(self, tables: SideTables | None, prefix: str = "p") -> None:
        """Use the side tables for lookups, and the prefix for the names of parameters."""
        self._tables = tables
        self.literals = Literals(prefix)

    @property
    def _side_tables(self) -> SideTables:
        if self._tables is None:
            raise TypeError("filters look at nothing but columns of runs")
        return self._tables

    def to_sql(self, where: tree.Condition, subject: Subject) -> str:  # noqa: PLR0911  # of each kind
        """Return the SQL of a ``where`` on runs or on steps, according to ``subject``."""
        match where:
            case And(parts) | Or(parts):
                return _joined(where, [self.to_sql(part, subject) for part in parts])
            case Not(part):
                return f"(NOT {self.to_sql(part, subject)})"
            case Compare() | In() | Exists():
                return self._of_field(where, subject)
            case Words(text):
                return words_of_run(text, "", self._side_tables, self.literals)
            case Count(steps, operator, number):
                counted = shapes.count_steps(self._of_steps(steps))
                return f"({counted} {operator.value} {self.literals.number(number)})"
            case Chain() | Under():
                return self._guarded(where)
            case Calculation():
                return self._calculated(where, subject)
        assert_never(where)

    def _calculated(self, where: Calculation, subject: Subject) -> str:
        """Return a comparison of two numbers, after conditions that their fields are present."""
        needed: dict[str, None] = {}
        sides = [self._number(side, subject, needed) for side in (where.left, where.right)]
        compared = f" {where.operator.value} ".join(sides)
        return f"({' AND '.join([*needed, f'ifNull({compared}, false)'])})"

    def _number(self, of: tree.Number, subject: Subject, needed: dict[str, None]) -> str:
        """Return a number as SQL; add to ``needed`` the conditions that its fields are present.

        A division by 0 is NULL. No operand occurs twice in the text, because nested divisions would
        double it.
        """
        match of:
            case Constant(number):
                return self.literals.of(FieldType.NUMBER, float(number))
            case Counted(steps):
                return f"toFloat64({shapes.count_steps(self._of_steps(steps))})"
            case Operand(field):
                column = COLUMNS[subject][field.name]
                needed.update({column.is_there: None} if column.is_there else {})
                return f"toFloat64({column.sql})"
        left, right = (self._number(side, subject, needed) for side in (of.left, of.right))
        divisor = f"nullIf({right}, 0)" if of.sign is Arithmetic.DIVIDED else right
        return f"({left} {of.sign.value} {divisor})"

    def _of_steps(self, where: tree.Condition) -> str:
        return self.to_sql(where, Subject.STEP)

    def _of_field(self, where: Compare | In | Exists, subject: Subject) -> str:
        if where.field.type is FieldType.WORDS:
            return self._words(where, subject)
        if where.field.is_judgement and where.field.has_keys:
            return scored(where, subject, self._side_tables, self.literals)
        if where.field.is_judgement:
            column = annotated(subject, self._side_tables, self.literals)
        else:
            column = COLUMNS[subject][where.field.name]
        match where:
            case Compare():
                return comparisons.compare(where, column, self.literals)
            case In():
                return comparisons.is_in(where, column, self.literals)
            case Exists():
                return comparisons.exists(where, column, self.literals)
        assert_never(where)

    def _words(self, where: Compare | In | Exists, subject: Subject) -> str:
        words = str(where.value) if isinstance(where, Compare) else ""
        find = words_of_run if subject is Subject.RUN else words_of_step
        return find(words, where.field.name, self._side_tables, self.literals)

    def _guarded(self, where: Chain | Under) -> str:
        """Return the SQL of a condition on several steps, preceded by faster implied conditions."""
        steps = where.steps if isinstance(where, Chain) else (where.inner, where.outer)
        guards = [guard for step in steps for guard in guards_of(step, self.literals)]
        return f"({' AND '.join([*guards, self._shape(where)])})"

    def _shape(self, where: Chain | Under) -> str:
        match where:
            case Chain((only,), _):
                return shapes.any_step(self._of_steps(only))
            case Chain(steps, links):
                return shapes.chain([self._of_steps(one) for one in steps], links, self.literals)
            case Under(inner, outer, is_child):
                form = shapes.child_of if is_child else shapes.under
                return form(self._of_steps(inner), self._of_steps(outer))
        assert_never(where)


def _joined(where: And | Or, parts: Sequence[str]) -> str:
    return f"({(' AND ' if isinstance(where, And) else ' OR ').join(parts)})"
