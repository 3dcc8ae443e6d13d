"""The same call reported again in another trace.

A client instrumented under a framework that lost the context reports its call as a trace of its
own. Nothing links the two; content and time do: the call has the same tokens and said the same,
and it ran while the framework's call ran. Only a call that is all there is in its trace can be
such a report.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import orjson

from spanloom.core.model.span import TraceKey
from spanloom.core.model.trajectory import Kind, Step, StepType, Trajectory
from spanloom.core.ports import ModelCall

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_SAID = ("content", "text", "name", "arguments")
"""The keys under which every message format keeps what a model said and which tools it called."""

_THOUGHTS = frozenset({"reasoning", "thinking"})
"""Parts that frameworks leave out where clients keep them."""


def list_calls(trajectory: Trajectory) -> Sequence[ModelCall]:
    """Give the trajectory's model calls, each with the key that a second report shares."""
    steps = {s.id: s for agent in trajectory.agent_steps for s in agent.steps}
    calls = [s for s in steps.values() if s.type is StepType.MODEL]
    is_bare = len(calls) == 1 and len(steps) == 1 and trajectory.root_type is Kind.MODEL
    key = TraceKey(trajectory.project, trajectory.trace_id)
    return [
        ModelCall(key, s.id, call_key, s.start_ns, s.end_ns, is_bare)
        for s in calls
        if (call_key := make_call_key(s))
    ]


def make_call_key(step: Step) -> str:
    """Give a fingerprint of what was said and counted; empty if there is nothing to compare."""
    usage = step.usage
    counts = (usage.input_tokens, usage.output_tokens) if usage else (0, 0)
    if any(counts):
        evidence = f"{counts[0]}:{counts[1]}:{_said(step.output)}"
    elif step.error is not None:
        evidence = f"error:{step.error.code}"
    elif said := _said(step.output):
        evidence = f"said:{said}"
    else:
        return ""
    return hashlib.blake2b(evidence.encode(), digest_size=12).hexdigest()


def find_original(call: ModelCall, others: Iterable[ModelCall]) -> ModelCall | None:
    """Give the call that this bare one repeats: the shortest that encloses it, else ``None``."""
    if not call.is_bare:
        return None
    enclosing = [o for o in others if _encloses(o, call)]
    return min(enclosing, key=lambda o: (o.end_ns - o.start_ns, o.key, o.step_id), default=None)


def _encloses(outer: ModelCall, inner: ModelCall) -> bool:
    return (
        outer.call_key == inner.call_key
        and outer.key.project == inner.key.project
        and outer.key.trace_id != inner.key.trace_id
        and not outer.is_bare
        and outer.start_ns <= inner.start_ns
        and inner.end_ns <= outer.end_ns
    )


def _said(output: str) -> str:
    """Give the texts of a model's output whatever its JSON shape, in order."""
    try:
        said = orjson.loads(output)
    except ValueError:
        said = output
    if isinstance(said, str):
        return said.strip()
    # A bare number or ``true`` is JSON by accident: it is what the model said.
    return "\n".join(_texts(said)) if isinstance(said, dict | list) else output.strip()


def _is_thought(part_type: object) -> bool:
    return isinstance(part_type, str) and part_type in _THOUGHTS


def _texts(value: object) -> Iterator[str]:
    """Walk without recursion: the JSON of a span may be nested a thousand deep."""
    pending = [value]
    while pending:
        value = pending.pop()
        if isinstance(value, list):
            pending.extend(reversed(value))
        elif isinstance(value, dict) and not _is_thought(value.get("type")):
            for key in _SAID:
                if isinstance(said := value.get(key), str):
                    yield said.strip()
            pending.extend(reversed(value.values()))
