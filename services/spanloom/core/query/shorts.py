"""Filters, the short spellings of a ``where``, as conditions; and whether a run meets one.

::

    condition_of({"agent": "planner", "since": 5})     agent = "planner" and start >= 5 ns
"""

from __future__ import annotations

import operator
from enum import Enum
from typing import TYPE_CHECKING, Any

from spanloom.core.query.where.fields import RUN_FIELDS
from spanloom.core.query.where.tree import And, Compare, Operator
from spanloom.core.records.run import RUN
from spanloom.core.records.run_filters import run_shorts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from spanloom.core.query.lists import ListedRun
    from spanloom.core.query.where.tree import Condition

_COMPARE: Mapping[Operator, Callable[..., bool]] = {
    Operator.EQUAL: operator.eq,
    Operator.AT_LEAST: operator.ge,
    Operator.LESS: operator.lt,
}


def condition_of(filters: Mapping[str, object]) -> Condition | None:
    """Return the condition of some filters; ``None`` for none. Times are nanoseconds."""
    return all_of(*_parts(filters))


def all_of(*conditions: Condition | None) -> Condition | None:
    """Return the condition that all of these hold; ``None`` always holds."""
    parts = [condition for condition in conditions if condition is not None]
    return And(tuple(parts)) if len(parts) > 1 else next(iter(parts), None)


def meets(line: ListedRun, condition: Condition | None) -> bool:
    """Return whether a run in memory meets a condition of ``condition_of``."""
    match condition:
        case None:
            return True
        case And(parts):
            return all(meets(line, part) for part in parts)
        case Compare(field, sign, wanted):
            value = _value(line, field.name)
            if field.is_list:
                return wanted in value
            return value is not None and _COMPARE[sign](value, wanted)
    raise TypeError(f"{condition} is no condition of filters")


def _parts(filters: Mapping[str, object]) -> Iterator[Compare]:
    for name, short in run_shorts().items():
        if (value := filters.get(name)) is not None:
            plain: Any = value.value if isinstance(value, Enum) else value
            yield Compare(RUN_FIELDS[short.field or name], Operator(short.sign), plain)


def _value(line: ListedRun, name: str) -> Any:  # of the type of the field
    if (own := _OF_LINE.get(name)) is not None:
        return own(line)
    return getattr(line.run, RUN.field_of(name))


_OF_LINE: Mapping[str, Callable[[ListedRun], object]] = {
    "start": lambda line: line.start_ns,
    "duplicate": lambda line: line.is_duplicate,
    "has_steps": lambda line: line.has_steps,
}
"""Fields whose value does not come from the record."""
