"""Explains which values decided a condition."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from spanloom.core.records.declared import FieldType

if TYPE_CHECKING:
    from spanloom.core.matching.verdict import Fact, Verdict
    from spanloom.core.query.where.fields import Value

_MOST_VALUES, _MOST_CHARS = 5, 80
_NS_PER_MS, _US_PER_S = 1_000_000, 1_000_000


def rationale_of(verdict: Verdict) -> str:
    """Return the deciding fields of the run with their values, and the number of deciding steps."""
    facts = dict.fromkeys(map(_fact_words, verdict.facts))
    steps = len(verdict.places)
    found = [f"{steps} step{'s' * (steps != 1)} found"] if steps else []
    return "; ".join([*facts, *found]) or "no such step"


def _fact_words(fact: Fact) -> str:
    field, name = fact.field, f"{fact.field.name}{'.' * bool(fact.key)}{fact.key}"
    if fact.values is None:
        return f"{name} is absent"
    values = [_value_text(value, field.type) for value in fact.values[:_MOST_VALUES]]
    rest = "" if len(fact.values) <= _MOST_VALUES else ", …"
    return f"{name} is {', '.join(values)}{rest}" if values else f"{name} is empty"


def _value_text(value: Value, kind: FieldType) -> str:
    if kind is FieldType.FLAG:
        return str(bool(value)).lower()
    if kind is FieldType.DURATION:
        return f"{round(float(value) / _NS_PER_MS, 3):g}ms"
    if kind is FieldType.TIME:
        moment = datetime.fromtimestamp(0, UTC).timestamp() + int(value) / 10**9
        return datetime.fromtimestamp(moment, UTC).isoformat()
    text = f'"{value}"' if kind is FieldType.TEXT else str(value)
    return text if len(text) <= _MOST_CHARS else f"{text[:_MOST_CHARS]}…"
