"""``metrics_info`` of an agent or the whole run, exactly the seed schema's fields."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING

from spanloom.core.model.trajectory import Metrics, Step, StepType, Usage

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_MODEL, _TOOL = StepType.MODEL, StepType.TOOL  # until Python 3.12 an enum is slow to give these
_CALLS = (_MODEL, _TOOL)
_NOTHING = Metrics()
_BY_START = attrgetter("start_ns")


def measure(steps: Iterable[Step]) -> Metrics:
    """Sum up model and tool steps; agents and graphs only hold them."""
    own = [s for s in steps if s.type in _CALLS]
    if not own:
        return _NOTHING
    models = [s for s in own if s.type is _MODEL]
    tools = [s for s in own if s.type is _TOOL]
    model_errors, tool_errors = _errors(models), _errors(tools)
    usage = sum_usage(models)
    return Metrics(
        llm_duration_ns=_sum_durations(models),
        tool_duration_ns=_sum_durations(tools),
        model_errors=model_errors,
        tool_errors=tool_errors,
        model_error_rate=_share(sum(map(len, model_errors.values())), len(models)),
        tool_error_rate=_share(sum(map(len, tool_errors.values())), len(tools)),
        tool_step_proportion=_share(len(tools), len(models) + len(tools)),
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
    )


def sum_usage(models: Iterable[Step]) -> Usage:
    """Return what the calls used together: each kind of token is a column, none without calls."""
    used = [s.usage for s in models if s.usage]
    return Usage(*map(sum, zip(*used, strict=True)))


def union_ns(steps: Iterable[Step]) -> int:
    """Return how long at least one step ran: 0 to 5 ns and 3 to 8 ns → 8."""
    total, reached = 0, 0
    for step in sorted(steps, key=_BY_START):
        began = max(step.start_ns, reached)
        if step.end_ns > began:
            total += step.end_ns - began
            reached = step.end_ns
    return total


def _sum_durations(steps: Iterable[Step]) -> int:
    """Add up the steps' lengths; a clock that ran backwards gives zero."""
    return sum([s.end_ns - s.start_ns for s in steps if s.end_ns > s.start_ns])


def _errors(steps: Iterable[Step]) -> Mapping[str, Sequence[str]]:
    found: dict[str, list[str]] = {}
    for step in steps:
        if step.error is not None:
            found.setdefault(str(step.error.code), []).append(step.id)
    return dict(sorted(found.items()))


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
