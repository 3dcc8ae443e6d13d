"""The same call reported again in another trace.

A client instrumented under a framework that lost the context reports its call as a trace of its
own, and a client with two instrumentations, one of which loses the context, reports it as two.
Nothing links them; numbers and time do: the call has the same tokens, and it ran while the other
call ran. What was said is compared where tokens are not told: the SDK of Anthropic reports its own
calls without a text. Only a call that is all there is in its trace can be such a report, and
of two such calls only one that another dialect tells of: one client may well ask the same twice.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import orjson

from spanloom.core.extraction.reports.repeated_runs import are_twins
from spanloom.core.model.message import read_conversation
from spanloom.core.model.span import TraceKey
from spanloom.core.model.trajectory import Kind, Step, StepType, Trajectory
from spanloom.core.ports.building import ModelCall

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from spanloom.core.model.message import Json

_MODEL = StepType.MODEL  # kept: until Python 3.12 an enum looks its members up in Python code


def list_calls(trajectory: Trajectory) -> Sequence[ModelCall]:
    """Return the trajectory's model calls, each with the key that a second report shares."""
    steps = [s for agent in trajectory.agent_steps for s in agent.steps]
    calls = [s for s in steps if s.type is _MODEL]
    is_bare = len(calls) == 1 and len(steps) == 1 and trajectory.root_type is Kind.MODEL
    key = TraceKey(trajectory.project, trajectory.trace_id)
    return [
        ModelCall(key, s.id, call_key, s.start_ns, s.end_ns, is_bare, s.dialect, len(calls))
        for s in calls
        if (call_key := make_call_key(s))
    ]


def make_call_key(step: Step) -> str:
    """Return a fingerprint of what was counted, or said; empty if there is nothing to compare."""
    usage = step.usage
    if usage and usage.input_tokens and usage.output_tokens:
        evidence = f"{usage.input_tokens}:{usage.output_tokens}"
    elif usage and (usage.input_tokens or usage.output_tokens):
        evidence = f"{usage.input_tokens}:{usage.output_tokens}:{_answer_text(step.output)}"
    elif step.error is not None:
        evidence = f"error:{step.error.code}"
    elif answer := _answer_text(step.output):
        evidence = f"said:{answer}"
    else:
        return ""
    return hashlib.blake2b(evidence.encode(), digest_size=12).hexdigest()


def find_original(call: ModelCall, others: Iterable[ModelCall]) -> ModelCall | None:
    """Return the call that this bare one repeats: the shortest around or beside it, else ``None``.

    A framework's call comes before another bare one. Beside it is a run that another
    instrumentation reports whole, of which this one gives each call a trace of its own.
    """
    if not call.is_bare:
        return None
    enclosing = [
        o
        for o in others
        if (_encloses(o, call) or _is_run_beside(o, call)) and _comes_before(o, call)
    ]
    return min(
        enclosing, key=lambda o: (o.is_bare, o.end_ns - o.start_ns, o.key, o.step_id), default=None
    )


def _encloses(outer: ModelCall, inner: ModelCall) -> bool:
    is_within = outer.start_ns <= inner.start_ns and inner.end_ns <= outer.end_ns
    return is_within and _say_the_same(outer, inner)


def _is_run_beside(run: ModelCall, call: ModelCall) -> bool:
    return not run.is_bare and _say_the_same(run, call) and are_twins(run, call)


def _say_the_same(ours: ModelCall, theirs: ModelCall) -> bool:
    return (
        ours.call_key == theirs.call_key
        and ours.key.project == theirs.key.project
        and ours.key.trace_id != theirs.key.trace_id
    )


def _comes_before(outer: ModelCall, inner: ModelCall) -> bool:
    """Decide which of two reports is the original, so that never both repeat each other."""
    if not outer.is_bare:
        return True
    if "" in (outer.dialect, inner.dialect) or outer.dialect == inner.dialect:
        return False
    is_longer = outer.end_ns - outer.start_ns > inner.end_ns - inner.start_ns
    return is_longer or outer.key < inner.key


def _answer_text(output: str) -> str:
    """Return what a model said and which tools it asked for, one a line, without its thoughts.

    Frameworks leave thoughts out where clients keep them, and number messages differently.
    """
    messages = read_conversation(output)
    lines = [line.strip() for m in messages if isinstance(m, dict) for line in _lines(m)]
    return "\n".join(filter(None, lines)) if messages else output.strip()


def _lines(message: Mapping[str, Json]) -> Iterator[str]:
    content = message.get("content")
    for part in content if isinstance(content, list) else [content]:
        text = part.get("text") if isinstance(part, dict) else part
        if isinstance(text, str):
            yield text
    calls = message.get("tool_calls")
    for call in calls if isinstance(calls, list) else []:
        function = call.get("function") if isinstance(call, dict) else None
        if isinstance(function, dict):
            yield f"{function.get('name')} {_arguments(function.get('arguments'))}"


def _arguments(payload: Json) -> str:
    """Return arguments without blanks and in one order: not every SDK writes JSON alike."""
    if not isinstance(payload, str):
        return ""
    try:
        return orjson.dumps(orjson.loads(payload), option=orjson.OPT_SORT_KEYS).decode()
    except (ValueError, TypeError):
        return payload.strip()
