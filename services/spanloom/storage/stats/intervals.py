"""The start of a run's interval as SQL; see ``core/query/intervals.py``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.query.intervals import DAY_S, UTC
from spanloom.storage.engine.parameters import Condition

if TYPE_CHECKING:
    from spanloom.core.query.intervals import Interval

_T = "toInt64(intDiv(StartTimeUnixNano, 1000000000))"
_FIXED = "intDiv({t} + {{ahead:Int64}}, {{interval:Int64}}) * {{interval:Int64}} - {{ahead:Int64}}"
_DAY = "toInt32(toDate(toDateTime({t}, {{timezone:String}})))"
_FIRST_DAY = "({day} - positiveModulo({day} + {{ahead:Int64}}, {{interval:Int64}}))"
_MIDNIGHT = (
    "if({first} > 0, toUnixTimestamp(toDateTime(toDate(greatest({first}, 1)),"
    " {{timezone:String}})), 0)"
)
"""SQL of the first moment of each day after 1970-01-01, which may not be midnight."""
_OFFSET = "timezoneOffset(toDateTime(greatest({}, 0), {{timezone:String}}))"


def interval_start(interval: Interval) -> Condition:
    """Return SQL of the start, in ns since the epoch, of the interval in which a run began."""
    if interval.timezone == UTC:
        ahead_s = interval.ahead_days * DAY_S
        text, values = _FIXED.format(t=_T), {"interval": interval.length_s, "ahead": ahead_s}
    elif interval.days:
        first = _FIRST_DAY.format(day=_DAY.format(t=_T))
        text = _MIDNIGHT.format(first=first)
        values = {"interval": interval.days, "ahead": interval.ahead_days}
    else:
        text, values = _by_clock(), {"interval": interval.length_s}
    named = {} if interval.timezone == UTC else {"timezone": interval.timezone}
    return Condition(f"greatest(toInt64({text}), 0) * 1000000000", {**values, **named})


def _by_clock() -> str:
    """Return the last time up to a run's start at which the clock showed a multiple of the length.

    It is computed with the UTC offset of the start. If the zone had another offset at that time,
    the other offset is used; if the change of offset skipped the multiple, the first result stays.
    """
    offset = _OFFSET.format(_T)
    back = f"({_T} - positiveModulo({_T} + {offset}, {{interval:Int64}}))"
    before = _OFFSET.format(back)
    moved = f"({back} + {offset} - {before})"
    is_right = f"{offset} = {before} OR {_OFFSET.format(f'{moved} - 1')} != {before}"
    return f"if({is_right}, {back}, {moved})"
