"""Compiles the comparison of a field to a function over the field's values in a row."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Any, TypeAlias

from spanloom.core.query.patterns import compile_pattern
from spanloom.core.query.where.fields import Subject
from spanloom.core.query.where.tree import OPPOSITES, Compare, Exists, In, Operator
from spanloom.core.records.declared import FieldType
from spanloom.core.records.run import RUN
from spanloom.core.records.step import STEP

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from spanloom.core.matching.row import RunRow, StepRow
    from spanloom.core.query.where.fields import Field, Value

    Values: TypeAlias = Sequence[Value] | None
    """The values of a field: ``None`` if the field is absent; empty only for a list field."""
    Read: TypeAlias = Callable[[RunRow | StepRow], Values]
    Test: TypeAlias = Callable[[Values], bool]

_VALUES = {
    subject: {queried.name: queried.value for queried in declaration.queried if queried.value}
    for subject, declaration in ((Subject.RUN, RUN), (Subject.STEP, STEP))
}
"""The functions that compute a field from a row, keyed by subject and the field's name."""
ORDER: Mapping[Operator, Callable[[Any, Any], bool]] = {
    Operator.EQUAL: operator.eq,
    Operator.NOT_EQUAL: operator.ne,
    Operator.LESS: operator.lt,
    Operator.AT_MOST: operator.le,
    Operator.MORE: operator.gt,
    Operator.AT_LEAST: operator.ge,
}


def read_field(field: Field, key: str, subject: Subject) -> Read:
    """Return a function that reads the values of a field from a row, in the field's type."""
    if field.is_judgement:
        return _scores(key) if field.has_keys else lambda row: [row.judgements.is_annotated]
    value: Callable[[Any], Any] = _VALUES[subject][field.name]
    if field.has_keys:
        begin = f"{key}="
        return lambda row: [v[len(begin) :] for v in value(row) if v.startswith(begin)] or None
    if field.is_list:
        return value
    nothing = (None, "") if field.type is FieldType.TEXT else (None,)
    return lambda row: None if (one := value(row)) in nothing else [one]


def _scores(name: str) -> Read:
    return lambda row: row.judgements.scores.get(name) or None


def compare_field(where: Compare | In | Exists) -> Test:
    """Return a function over a field's values: at least one must match; for ``!=``, all differ."""
    match where:
        case Compare(_, sign, value):
            return _compare(sign, value)
        case In(_, values):
            among = frozenset(values)
            return lambda found: found is not None and any(one in among for one in found)
        case Exists(field) if field.type is FieldType.FLAG:
            return lambda found: found is not None and any(found)
        case Exists():
            return bool


def _compare(sign: Operator, value: Value) -> Test:
    meets = _one(OPPOSITES.get(sign, sign), value)
    if sign in OPPOSITES:
        return lambda found: found is not None and not any(map(meets, found))
    return lambda found: found is not None and any(map(meets, found))


def _one(sign: Operator, value: Value) -> Callable[[Any], bool]:
    if sign is Operator.MATCHES:
        return compile_pattern(str(value))
    compare = ORDER[sign]
    return lambda found: compare(found, value)
