"""Evaluates a ``where`` on a run in the simplest code.

Used by the in-memory store, and as the reference for ClickHouse's results.
"""

from __future__ import annotations

import operator
import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from spanloom.core.extraction.metrics import COST
from spanloom.core.matching.listed import agent_names, placed_steps
from spanloom.core.messages.new_texts import find_new_texts, read_step_texts
from spanloom.core.model.step import StepType, Usage
from spanloom.core.model.trajectory import Outcome, Status
from spanloom.core.query.flat_steps import (
    FlatStep,
    count_repeats,
    find_attributes,
    lay_flat,
    list_attributes,
)
from spanloom.core.query.selection import START
from spanloom.core.query.where.text_query import has_text, parse_text_query
from spanloom.core.query.where.tree import (
    And,
    Arithmetic,
    Calculation,
    Chain,
    Compare,
    Constant,
    Count,
    Counted,
    Exists,
    In,
    Not,
    Operand,
    Operation,
    Operator,
    Or,
    Under,
    Words,
)
from spanloom.core.query.words import tokenize
from spanloom.core.records.declared import FieldType
from spanloom.core.records.hit import Part

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.model.step import Step
    from spanloom.core.model.trajectory import Trajectory
    from spanloom.core.ports.trajectories import TrajectoryRecord
    from spanloom.core.query.selection import Order, Rank
    from spanloom.core.query.where.tree import Condition, Number

_NUMBERS = {
    Operator.EQUAL: operator.eq,
    Operator.NOT_EQUAL: operator.ne,
    Operator.LESS: operator.lt,
    Operator.AT_MOST: operator.le,
    Operator.MORE: operator.gt,
    Operator.AT_LEAST: operator.ge,
}
TEXTS = "texts"
"""Key among the facts for the texts of each step, by part."""
SAID = "said"
"""Key among the facts for annotations and scores by step id; the run's own have an empty id."""
_NONE_OF = {Operator.NOT_EQUAL: Operator.EQUAL, Operator.MATCHES_NOT: Operator.MATCHES}


class Said(NamedTuple):
    """The annotations and scores of a step or run."""

    is_annotated: bool = False
    scores: Mapping[str, Sequence[float]] = {}
    """The values of the scores, keyed by name."""


class Run(NamedTuple):
    """The facts of a run, and of its steps in order."""

    facts: Mapping[str, Any]
    steps: Sequence[FlatStep]


def run_of(record: TrajectoryRecord) -> Run:
    """Return the facts of a stored run, without annotations and scores."""
    steps = lay_flat(placed_steps(record.trajectory))
    return Run({**_run_facts(record, steps), TEXTS: _texts_of(record, steps)}, steps)


def with_said(run: Run, said: Mapping[str, Said]) -> Run:
    """Return a run with annotations and scores added, by step id."""
    return run._replace(facts={**run.facts, SAID: said, **_said_facts(said, "")})


def _said_facts(said: Mapping[str, Said], step_id: str) -> Mapping[str, Any]:
    found = said.get(step_id, Said())
    is_any = any(one.is_annotated for one in said.values()) and not step_id
    return {"annotated": found.is_annotated or is_any, "score": found.scores}


def holds(where: Condition, run: Run) -> bool:  # noqa: PLR0911  # one for each kind
    """Return whether a run meets a condition."""
    match where:
        case And(parts) | Or(parts):
            return (all if isinstance(where, And) else any)(holds(part, run) for part in parts)
        case Not(part):
            return not holds(part, run)
        case Count(steps, sign, number):
            return bool(_NUMBERS[sign](len(_meeting(steps, run)), number))
        case Chain(steps, links):
            return _is_chained([_meeting(step, run) for step in steps], [li.most for li in links])
        case Under(inner, outer, is_child):
            below = _parent if is_child else _ancestors
            outers = set(_meeting(outer, run))
            return any(outers & set(below(place, run)) for place in _meeting(inner, run))
        case Compare() | In() | Exists():
            return _field_holds(where, run.facts)
        case Calculation(left, sign, right):
            one, other = _calculated(left, run), _calculated(right, run)
            return one is not None and other is not None and bool(_NUMBERS[sign](one, other))
        case Words(text):
            return _is_said(run.facts[TEXTS], tuple(Part), text)


def _calculated(number: Number, run: Run) -> float | None:
    match number:
        case Constant(value):
            return float(value)
        case Operand(field):
            found = run.facts[field.name]
            return None if found is None else float(found)
        case Counted(steps):
            return float(len(_meeting(steps, run)))
        case Operation(left, sign, right):
            one, other = _calculated(left, run), _calculated(right, run)
            if one is None or other is None or (sign is Arithmetic.DIVIDED and not other):
                return None
            return float(_JOIN[sign](one, other))


_JOIN = {
    Arithmetic.PLUS: operator.add,
    Arithmetic.MINUS: operator.sub,
    Arithmetic.TIMES: operator.mul,
    Arithmetic.DIVIDED: operator.truediv,
}
_MAY_BE_ABSENT = frozenset(
    {
        *("cost", "first_token", "tokens_per_second"),
        *("model_error_rate", "tool_error_rate", "tool_step_proportion"),
    }
)


def rank_of(order: Order, run: Run) -> Rank:
    """Return the sort key before the start time; absent values sort last."""
    if order.field is START:
        return ()
    value = run.facts[order.field.name]
    if order.field.name not in _MAY_BE_ABSENT:
        return (value,)
    return (int((value is None) is not order.is_descending), value or 0.0)


def step_facts(place: int, run: Run) -> Mapping[str, Any]:
    """Return the facts of the step at a position, counted from 1."""
    flat = run.steps[place - 1]
    step, error = flat.step, flat.step.error
    is_model, cost = step.type is StepType.MODEL, step.metadata.get(COST)
    usage = step.usage or Usage()
    return {
        "type": step.type.value,
        "name": step.name or None,
        "tool": (step.name or None) if step.type is StepType.TOOL else None,
        "agent": (step.name or None) if step.type is StepType.AGENT else None,
        "owner": run.steps[flat.agent - 1].step.name or None if flat.agent else None,
        "model": step.model or None,
        "duration": max(step.end_ns - step.start_ns, 0),
        "first_token": None if step.first_token_ms is None else step.first_token_ms * 1e6,
        "error": error is not None,
        "error_code": error.code if error and error.code not in (0, -1) else None,
        "error_type": (error.type or None) if error else None,
        "error_message": (error.message[:1000] or None) if error else None,
        "tokens": usage.input_tokens + usage.output_tokens if is_model else None,
        "input_tokens": usage.input_tokens if is_model else None,
        "output_tokens": usage.output_tokens if is_model else None,
        "cost": float(cost) if is_model and cost is not None else None,
        "position": place - 1,
        "args_key": f"{flat.args:08x}" if flat.args else None,
        "metadata": list_attributes(step.metadata),
        TEXTS: [run.facts[TEXTS][place - 1]],
        **_said_facts(run.facts.get(SAID, {}), step.id),
    }


def _run_facts(record: TrajectoryRecord, steps: Sequence[FlatStep]) -> Mapping[str, Any]:
    trajectory, repeats = record.trajectory, count_repeats(steps)
    root, extras, metrics = trajectory.root, trajectory.extras, trajectory.root_metrics
    cost, metadata = extras.get("cost"), extras.get("metadata")
    of_run = metadata if isinstance(metadata, dict) else {}
    counts = trajectory.step_counts
    failed = [flat.step.type for flat in steps if flat.step.error is not None]
    causes = [f.error for f in sorted(trajectory.failures, key=lambda f: f.recovered)]
    return {
        "project": record.key.project,
        "trace_id": record.key.trace_id,
        "status": record.status.value,
        "outcome": trajectory.outcome.value,
        "start": record.start_ns,
        "duration": max(root.end_ns - root.start_ns, 0),
        "root_name": root.name or None,
        "root_type": trajectory.root_type.value,
        "has_error": trajectory.has_error,
        "agent": agent_names(trajectory),
        "model": extras.get("models", []),
        "dialect": list(trajectory.dialects),
        "service": extras.get("services", []),
        "tag": extras.get("tags", []),
        "environment": extras.get("environment") or None,
        "release": extras.get("release") or None,
        "user": extras.get("user_id") or None,
        "error_type": (causes[0].type if causes else "") or None,
        "error_message": (causes[0].message[:1000] if causes else "") or None,
        "conversation": trajectory.conversation_id or None,
        "version": record.version,
        "steps": sum(counts.get(kind, 0) for kind in StepType),
        "has_steps": any(counts.get(kind, 0) for kind in StepType)
        or trajectory.outcome is not Outcome.OK
        or record.status is Status.FAILED,
        "model_steps": counts.get("model", 0),
        "tool_steps": counts.get("tool", 0),
        "agent_steps": counts.get("agent", 0),
        "spans": trajectory.span_count,
        "tokens": metrics.input_tokens + metrics.output_tokens,
        "input_tokens": metrics.input_tokens,
        "output_tokens": metrics.output_tokens,
        "reasoning_tokens": extras.get("reasoning_tokens", 0),
        "cache_read_tokens": extras.get("cache_read_tokens", 0),
        "cost": cost["usd"] if isinstance(cost, dict) else None,
        "model_time": metrics.llm_duration_ns,
        "tool_time": metrics.tool_duration_ns,
        "failures": len(trajectory.failures),
        "tool_errors": failed.count(StepType.TOOL),
        "model_errors": failed.count(StepType.MODEL),
        **_derived(trajectory, [flat.step for flat in steps], failed),
        "warning": list(trajectory.warnings),
        "duplicate": trajectory.duplicate_of is not None,
        "longest_repeat": repeats.longest,
        "most_repeats": repeats.most,
        "repeated_calls": _repeated(steps),
        "metadata": find_attributes(
            of_run, root.metadata, (list_attributes(flat.step.metadata) for flat in steps)
        ),
    }


def _repeated(steps: Sequence[FlatStep]) -> int:
    calls = [flat.args for flat in steps if flat.step.type is StepType.TOOL]
    return sum(one == before for before, one in pairwise(calls))


def _derived(
    trajectory: Trajectory, steps: Sequence[Step], failed: Sequence[StepType]
) -> Mapping[str, Any]:
    """Return the facts that follow from other columns."""
    root, metrics, counts = trajectory.root, trajectory.root_metrics, trajectory.step_counts
    models, tools = counts.get("model", 0), counts.get("tool", 0)
    llm_ns = metrics.llm_duration_ns
    tokens = [
        s.start_ns - root.start_ns + s.first_token_ms * 1e6
        for s in steps
        if s.first_token_ms is not None
    ]
    ends = [max(step.end_ns, step.start_ns) for step in (root, *steps)]
    return {
        "model_error_rate": failed.count(StepType.MODEL) / models if models else None,
        "tool_error_rate": failed.count(StepType.TOOL) / tools if tools else None,
        "tool_step_proportion": tools / (models + tools) if models + tools else None,
        "tokens_per_second": metrics.output_tokens * 1e9 / llm_ns if llm_ns else None,
        "first_token": min(tokens) if tokens else None,
        "wall_time": max(ends) - min(step.start_ns for step in (root, *steps)),
    }


def _meeting(where: Condition, run: Run) -> Sequence[int]:
    """Return the positions of the steps that meet a condition."""
    places = range(1, len(run.steps) + 1)
    return [place for place in places if holds(where, Run(step_facts(place, run), ()))]


def _is_chained(meeting: Sequence[Sequence[int]], most: Sequence[int | None]) -> bool:
    """Return whether positions can be chosen in order, each within the distance of its link."""
    reached = set(meeting[0])
    for places, farthest in zip(meeting[1:], most, strict=True):
        steps = [(before, after) for before in reached for after in places if before < after]
        reached = {after for before, after in steps if not farthest or after - before <= farthest}
    return bool(reached)


def _parent(place: int, run: Run) -> Sequence[int]:
    return [above] if (above := run.steps[place - 1].parent) else []


def _ancestors(place: int, run: Run) -> Sequence[int]:
    above = _parent(place, run)
    return [*above, *_ancestors(above[0], run)] if above else []


def _texts_of(record: TrajectoryRecord, steps: Sequence[FlatStep]) -> Sequence[Mapping[Part, str]]:
    """Return the new texts of each step, without texts of earlier steps."""
    step_texts = (read_step_texts(step) for _, step in placed_steps(record.trajectory))
    brought = {new.step_id: new for new in find_new_texts(step_texts)}
    found = [brought.get(flat.step.id) for flat in steps]
    return [
        {Part.INPUT: new.input, Part.OUTPUT: new.output, Part.ERROR: new.error} if new else {}
        for new in found
    ]


def _is_said(texts: Sequence[Mapping[Part, str]], parts: Sequence[Part], words: str) -> bool:
    query = parse_text_query(words)
    contents = (text[part] for text in texts for part in parts if text.get(part))
    return any(has_text(query, tokenize(text)) for text in contents)


def _field_holds(where: Compare | In | Exists, facts: Mapping[str, Any]) -> bool:
    if isinstance(where, Compare) and where.field.type is FieldType.WORDS:
        return _is_said(facts[TEXTS], [Part(where.field.name)], str(where.value))
    found = facts[where.field.name]
    if where.field.name == "score":
        values = found.get(where.key, [])
        is_there = bool(values)
    elif where.field.has_keys:
        told = (pair.split("=", 1) for pair in found if pair.startswith(f"{where.key}="))
        values = [value for _, value in told]
        is_there = bool(values)
    elif where.field.is_list:
        values, is_there = found, True
    else:
        values = [] if found is None else [found]
        is_there = found is not None
    match where:
        case Exists(field):
            return bool(found) if field.type is FieldType.FLAG else bool(values)
        case In():
            return any(value in where.values for value in values)
        case Compare():
            return is_there and _compares(where, values)


def _compares(comparison: Compare, values: Sequence[Any]) -> bool:
    if comparison.operator in _NONE_OF:
        return not _compares(comparison._replace(operator=_NONE_OF[comparison.operator]), values)
    if comparison.operator is Operator.MATCHES:
        pattern = re.compile(str(comparison.value), re.DOTALL | re.ASCII)
        return any(pattern.search(value) for value in values)
    return any(_NUMBERS[comparison.operator](value, comparison.value) for value in values)
