"""``metrics_info`` of an agent or the whole run, exactly the seed schema's fields."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from spanloom.core.model.trajectory import Metrics, Step, StepType

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


def measure(steps: Iterable[Step]) -> Metrics:
    """Sum up model and tool steps; agents and graphs only hold them."""
    own = list(steps)
    models = [s for s in own if s.type is StepType.MODEL]
    tools = [s for s in own if s.type is StepType.TOOL]
    model_errors, tool_errors = _errors(models), _errors(tools)
    return Metrics(
        llm_duration_ns=sum(map(duration_ns, models)),
        tool_duration_ns=sum(map(duration_ns, tools)),
        model_errors=model_errors,
        tool_errors=tool_errors,
        model_error_rate=_share(sum(map(len, model_errors.values())), len(models)),
        tool_error_rate=_share(sum(map(len, tool_errors.values())), len(tools)),
        tool_step_proportion=_share(len(tools), len(models) + len(tools)),
        input_tokens=sum(s.usage.input_tokens for s in models if s.usage),
        output_tokens=sum(s.usage.output_tokens for s in models if s.usage),
    )


def duration_ns(step: Step) -> int:
    """Give the step's length; a clock that ran backwards gives zero."""
    return max(step.end_ns - step.start_ns, 0)


def union_ns(steps: Iterable[Step]) -> int:
    """Give the wall-clock time during which at least one of the steps ran."""
    total, reached = 0, 0
    for step in sorted(steps, key=lambda s: s.start_ns):
        total += max(step.end_ns - max(step.start_ns, reached), 0)
        reached = max(reached, step.end_ns)
    return total


def _errors(steps: Iterable[Step]) -> Mapping[str, Sequence[str]]:
    found: defaultdict[str, list[str]] = defaultdict(list)
    for step in steps:
        if step.error is not None:
            found[str(step.error.code)].append(step.id)
    return dict(sorted(found.items()))


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
