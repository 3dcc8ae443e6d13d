"""A call of a run: the name of a tool, its arguments, and the step that ran it."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.values.attributes import json_value
from spanloom.evaluation.subject.canonical import canonical

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.evaluation.subject.canonical import Budget


class Call(NamedTuple):
    """A call. Only tools have arguments; for other steps they are empty."""

    name: str
    arguments: object
    """A JSON object, another JSON value, or a text that is not JSON."""
    step_id: str
    """The span id of the step; for messages, the position of the message."""
    type: str = "tool"
    """``tool``, ``model``, ``agent``, ``graph`` or ``node``."""
    failed: bool = False


def read_arguments(arguments: object) -> object:
    """Return parsed arguments; missing arguments are an empty object."""
    value = json_value(arguments) if isinstance(arguments, str) else arguments
    return {} if value is None or value == "" else value


def without_retries(calls: Sequence[Call], budget: Budget) -> Sequence[Call]:
    """Return the calls, without each failed call that the same call follows immediately.

    ``calls`` are of one agent; calls are the same if type, name and arguments are equal. Raises
    ``TooLargeError``.
    """
    if not any(call.failed for call in calls):
        return calls
    kept = [
        call for call, after in pairwise(calls) if not (call.failed and _same(call, after, budget))
    ]
    return [*kept, calls[-1]]


def _same(call: Call, other: Call, budget: Budget) -> bool:
    if (call.type, call.name) != (other.type, other.name):
        return False
    return canonical(call.arguments, budget) == canonical(other.arguments, budget)
