"""Hypothesis strategies for texts of ``where`` that apply to generated runs."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from hypothesis import strategies as st
from tests.support.generated_runs import MESSAGES, MODELS, NAMES, TIERS
from tests.support.otlp_requests import START_NS

from spanloom.core.query.where.fields import FIELDS, Field, Subject
from spanloom.core.query.where.reader import MAX_COMPARISONS
from spanloom.core.query.where.tree import (
    And,
    Calculation,
    Chain,
    Count,
    Counted,
    Not,
    Operation,
    Operator,
    Or,
    Under,
)
from spanloom.core.query.where.values import OPERATORS
from spanloom.core.records.declared import FieldType

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from spanloom.core.query.where.tree import Condition, Number

NAMED = [name for names in NAMES.values() for name in names]
KNOWN = [*NAMED, *MODELS, *TIERS, *MESSAGES, "ada", "trip", "production", "travel", "beta", ""]
PATTERNS = ["^re", "o", "退", r"a.*e", "[0-9]$", "(?i)GOLD", "", r"rate.limit\s"]
NUMBERS = [0, 1, 2, 5, 429, 2000, -1]
DURATIONS = ["0s", "500ms", "2s", "1.5s", "20s", "1m"]
HOSTILE = ["'", "\\", "{p0:String}", "--", "\0", "' OR 1=1 --", "\\N", "{filter}", "a\nb", "😀"]
"""Texts that would break out of a literal in the text of a query."""


def quoted(text: str) -> str:
    """Return a text as a string literal of the query language."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _value(field: Field, operator: Operator) -> st.SearchStrategy[str]:
    if operator in (Operator.MATCHES, Operator.MATCHES_NOT):
        return st.sampled_from(PATTERNS).map(quoted)
    by_type = {
        FieldType.TEXT: st.sampled_from([*KNOWN, *HOSTILE]).map(quoted),
        FieldType.CHOICE: st.sampled_from(field.choices or ("x",)),
        FieldType.INTEGER: st.sampled_from(NUMBERS).map(str),
        FieldType.NUMBER: st.sampled_from(["0", "0.25", "0.5", "-1.5"]),
        FieldType.DURATION: st.sampled_from(DURATIONS),
        FieldType.TIME: st.sampled_from([_moment(3), _moment(50), _moment(10**6)]),
        FieldType.FLAG: st.sampled_from(["true", "false"]),
    }
    return by_type[field.type]


def _moment(seconds: int) -> str:
    return quoted(datetime.fromtimestamp(START_NS // 10**9 + seconds, UTC).isoformat())


def comparisons(fields: Iterable[Field]) -> st.SearchStrategy[str]:
    """Return comparisons of any of the fields except full-text ones."""
    return st.sampled_from([f for f in fields if f.type is not FieldType.WORDS]).flatmap(_of_field)


def _of_field(field: Field) -> st.SearchStrategy[str]:
    name = f"{field.name}.tier" if field.has_keys else field.name
    compared = st.sampled_from(OPERATORS[field.type]).flatmap(
        lambda operator: _value(field, operator).map(lambda v: f"{name} {operator.value} {v}")
    )
    values = st.lists(_value(field, Operator.EQUAL), min_size=1, max_size=3)
    among = values.map(lambda some: f"{name} in ({', '.join(some)})")
    not_among = values.map(lambda some: f"{name} not in ({', '.join(some)})")
    flag = st.just(name) if field.type is FieldType.FLAG else st.just(f"{name} exists")
    return st.one_of(compared, compared, among, not_among, flag)


def _joined(of: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.recursive(
        of,
        lambda inner: st.one_of(
            st.tuples(inner, st.sampled_from(["and", "or"]), inner).map(
                lambda parts: f"({' '.join(parts)})"
            ),
            inner.map(lambda one: f"not ({one})"),
        ),
        max_leaves=4,
    )


_SIGNS = st.sampled_from(["=", "!=", "<", "<=", ">", ">="])


def _calculations(numbers: list[str], durations: list[str]) -> st.SearchStrategy[str]:
    """Return comparisons of sums, products and quotients of these fields."""
    plain = st.sampled_from([*numbers, "2", "0.5", "-1", "0"])
    lasting = st.sampled_from([*durations, "500ms", "1.5s"])

    def grown(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        return st.tuples(inner, st.sampled_from([" + ", " - ", "*", "/", " -"]), inner).map(
            lambda parts: f"({''.join(parts)})"
        )

    ratios = st.tuples(lasting, lasting).map(lambda pair: f"({pair[0]} / {pair[1]})")
    sums = st.recursive(plain | ratios, grown, max_leaves=2)
    times = st.tuples(lasting, st.sampled_from("*/"), plain).map(" ".join) | lasting
    return st.one_of(
        st.tuples(sums.map("({})".format), _SIGNS, plain).map(" ".join),
        st.tuples(times.map("({})".format), _SIGNS, times).map(" ".join),
    )


STEPS = _joined(
    comparisons(FIELDS[Subject.STEP].values())
    | _calculations(["input_tokens", "output_tokens", "cost", "position"], ["duration"])
)
_COUNTED = "count(tool exists or error_code = 429)"
_LINKS = st.sampled_from(["then", "next", "within 2", "within 5", "within 1000"])
_CHAINS = st.lists(st.tuples(STEPS, _LINKS), max_size=3).flatmap(
    lambda linked: STEPS.map(
        lambda last: "has(" + "".join(f"{step} {link} " for step, link in linked) + f"{last})"
    )
)
_TREES = st.tuples(STEPS, st.sampled_from(["under", "child of"]), STEPS).map(
    lambda parts: f"has({' '.join(parts)})"
)
_COUNTS = st.tuples(STEPS, _SIGNS).map(lambda parts: f"count({parts[0]}) {parts[1]} 2")
_COUNTING = (*"+-*/=<>~", " in ", "exists")


def _is_small(where: str) -> bool:
    """Return whether a query is surely within the limit of comparisons, including flags."""
    return sum(map(where.count, _COUNTING)) < MAX_COMPARISONS - 16


CALCULATIONS = _calculations(
    ["steps", "tokens", "cost", "output_tokens", "model_error_rate", _COUNTED], ["duration"]
)
"""Queries of runs."""
WHERES = _joined(
    st.one_of(
        *(comparisons(FIELDS[Subject.RUN].values()), CALCULATIONS),
        *(_CHAINS, _CHAINS, _TREES, _COUNTS),
    )
).filter(_is_small)
"""Any query except full-text ones."""


def _map(number: Number, change: Callable[[Condition], Condition]) -> Number:
    match number:
        case Counted(steps):
            return Counted(change(steps))
        case Operation(left, _, right):
            return number._replace(left=_map(left, change), right=_map(right, change))
    return number


def map_parts(where: Condition, change: Callable[[Condition], Condition]) -> Condition:
    """Return a query with each of its parts changed."""
    match where:
        case And(parts) | Or(parts):
            return type(where)([change(part) for part in parts])
        case Not(part):
            return Not(change(part))
        case Count(steps):
            return where._replace(steps=change(steps))
        case Calculation(left, _, right):
            where = where._replace(left=_map(left, change), right=_map(right, change))
        case Chain(steps):
            where = where._replace(steps=[change(step) for step in steps])
        case Under(inner, outer):
            where = where._replace(inner=change(inner), outer=change(outer))
    return where
