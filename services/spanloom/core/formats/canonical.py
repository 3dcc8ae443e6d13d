"""The canonical document: the Coze Loop trajectory schema and an ``extraction`` object.

Equal trajectories have equal bytes: the order of keys is fixed here, and keys that come from the
data are sorted. The schema is ``canonical_schema.json`` next to this file.

Times are strings of whole milliseconds, truncated, not rounded; a negative duration is ``"0"``. If
the time of the first token is unknown, ``latency_first_resp`` is absent, because ``"0"`` would mean
an instant response. Token counts are always present; they are 0 if none were reported.
"""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

from spanloom.core.formats.json_bytes import (
    AT_ONCE,
    Json,
    dump,
    dump_list,
    estimate,
    reserve,
    sample,
    sorted_keys,
    text_bytes,
    write_list,
)
from spanloom.core.model.step import Step, StepError, StepType, Usage, with_type
from spanloom.core.model.trajectory import (
    AgentStep,
    Failure,
    Kind,
    Metrics,
    SpanVerdict,
    Status,
    Trajectory,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.formats.losses import Losses
    from spanloom.core.formats.stored import Stored

EXTRACTION_START = b'"extraction":{"version":'
"""The beginning of a document's last member."""
MAX_ERROR_CHARS = 300
"""Maximum characters of an error in the list of spans, because every enclosing span repeats it."""
MAX_ERRORS = 1_000
"""Maximum number of failures that a document lists; ``failures`` counts all of them."""
_STEP_COUNTS = tuple(map(str, Kind))
_NS_PER_MS = 1_000_000
_NO_USAGE = Usage()
_MODEL = StepType.MODEL  # cached: before Python 3.12 member access of an enum is slow


def as_stored(stored: Stored, _losses: Losses) -> bytes:
    """Return the stored document unchanged, because it already has this format."""
    return stored.document


def encode_document(trajectory: Trajectory, version: int, status: Status) -> bytes:
    """Return the canonical JSON document for a trajectory with this version and status."""
    if sum(len(agent.steps) for agent in trajectory.agent_steps) > AT_ONCE:
        return _encode_long(trajectory, version, status)
    return dump(
        {
            **_beginning(trajectory),
            "agent_steps": [_agent_step(agent) for agent in trajectory.agent_steps],
            "extraction": _extraction(trajectory, version, status),
        }
    )


def _encode_long(trajectory: Trajectory, version: int, status: Status) -> bytes:
    """Return the same bytes as ``encode_document``, written step by step to avoid a copy."""
    beginning, end = dump(_beginning(trajectory)), dump(_extraction(trajectory, version, status))
    file = BytesIO()
    reserve(file, len(beginning) + _bytes_of(trajectory.agent_steps) + len(end))
    file.write(beginning[:-1])
    for number, agent in enumerate(trajectory.agent_steps):
        file.write(b"," if number else b',"agent_steps":[')
        file.write(dump(_agent(agent))[:-1])
        file.write(b',"steps":')
        write_list(file, agent.steps, _step)
        file.write(b"}")
    file.write(b'],"extraction":')
    file.write(end)
    file.write(b"}")
    file.truncate()
    return file.getvalue()


def _bytes_of(agents: Sequence[AgentStep]) -> int:
    """Return an estimate of the bytes that agents and their steps have when encoded."""
    steps = [step for agent in agents for step in (agent.step, *agent.steps)]
    texts = sum(text_bytes(step.input) + text_bytes(step.output) for step in steps)
    rests = [len(dump(_step(step._replace(input="", output="")))) for step in sample(steps)]
    return texts + estimate(rests, len(steps))


def without_version(document: bytes) -> Sequence[memoryview]:
    """Return the bytes of a document before and after its version, to compare two versions.

    Quotes are escaped inside JSON strings, and only ``extraction`` begins with a number named
    ``version``, so the last occurrence of ``EXTRACTION_START`` is the right one. Nothing is copied.
    """
    start = document.rindex(EXTRACTION_START) + len(EXTRACTION_START)
    parts = memoryview(document)
    return parts[:start], parts[document.index(b",", start) :]


def with_version(document: bytes, version: int) -> bytes:
    """Return the document with another version number.

    Therefore versions that differ only in their number can share one stored document.
    """
    before, after = without_version(document)
    return b"".join((before, str(version).encode(), after))


def encode_spans(trajectory: Trajectory) -> bytes:
    """Return a JSON list with the classification of each span, and the rule that decided it."""
    return dump_list(trajectory.verdicts, _span)


def _beginning(trajectory: Trajectory) -> Json:
    root = trajectory.root
    shown = _show(root, {"id": root.id})
    shown["metrics_info"] = _metrics_info(trajectory.root_metrics)
    return {"id": trajectory.trace_id, "root_step": shown}


def _agent_step(agent: AgentStep) -> Json:
    return {**_agent(agent), "steps": [_step(step) for step in agent.steps]}


def _agent(agent: AgentStep) -> Json:
    """Return an agent's entry in the document, without its steps."""
    step = agent.step
    encoded = _show(step, {"id": step.id, "parent_id": step.parent_id})
    encoded["metrics_info"] = _metrics_info(agent.metrics)
    return encoded


def _step(step: Step) -> Json:
    encoded = _show(step, {"id": step.id, "parent_id": step.parent_id, "type": step.type})
    if step.type is _MODEL:
        encoded["model_info"] = _model_info(step)
    return encoded


def _show(step: Step, shown: Json) -> Json:
    """Add the members that every step has to ``shown``, and return it."""
    shown["name"] = step.name
    shown["input"] = step.input
    shown["output"] = step.output
    shown["metadata"] = _metadata(step)
    shown["basic_info"] = _basic_info(step)
    return shown


def _metadata(step: Step) -> Json:
    shown = step.metadata
    if step.model and "model" not in shown:
        # Readers need the model's name first, but the schema's model_info has no member for it.
        shown = {**shown, "model": step.model}
    return {key: shown[key] for key in sorted(shown)}


def _basic_info(step: Step) -> Json:
    info: Json = {
        "started_at": str(step.start_ns // _NS_PER_MS),
        "duration": _ms(step.end_ns - step.start_ns),
    }
    if step.error is not None:
        info["error"] = {"code": step.error.code, "msg": step.error.message}
    return info


def _model_info(step: Step) -> Json:
    usage = step.usage or _NO_USAGE
    info: Json = {"input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens}
    if step.first_token_ms is not None:
        info["latency_first_resp"] = str(max(0, int(step.first_token_ms)))
    info["reasoning_tokens"] = usage.reasoning_tokens
    info["input_read_cached_tokens"] = usage.cache_read_tokens
    info["input_creation_cached_tokens"] = usage.cache_creation_tokens
    return info


def _metrics_info(metrics: Metrics) -> Json:
    return {
        "llm_duration": _ms(metrics.llm_duration_ns),
        "tool_duration": _ms(metrics.tool_duration_ns),
        "tool_errors": sorted_keys(metrics.tool_errors),
        "tool_error_rate": float(metrics.tool_error_rate),
        "model_errors": sorted_keys(metrics.model_errors),
        "model_error_rate": float(metrics.model_error_rate),
        "tool_step_proportion": float(metrics.tool_step_proportion),
        "input_tokens": metrics.input_tokens,
        "output_tokens": metrics.output_tokens,
    }


def _extraction(trajectory: Trajectory, version: int, status: Status) -> Json:
    promised: Json = {
        "version": version,
        "status": status,
        "extractor_version": trajectory.extractor_version,
        "project": trajectory.project,
        "span_count": trajectory.span_count,
        "step_counts": {key: trajectory.step_counts.get(key, 0) for key in _STEP_COUNTS},
        "root_type": trajectory.root_type,
        "dialects": list(trajectory.dialects),
        "warnings": list(trajectory.warnings),
        "outcome": trajectory.outcome,
        "failures": len(trajectory.failures),
        "errors": [_failure(failure) for failure in trajectory.failures[:MAX_ERRORS]],
    }
    if trajectory.pauses:
        promised["pauses"] = [
            {"where": pause.span_id, "step_id": pause.step_id, "question": pause.question}
            for pause in trajectory.pauses
        ]
    if trajectory.is_resuming:
        promised["is_resuming"] = True
    if trajectory.duplicate_of is not None:
        original = trajectory.duplicate_of
        promised["duplicate_of"] = {"trace_id": original.trace_id, "span_id": original.span_id}
    return promised | _beyond(promised, trajectory.extras)


def _failure(failure: Failure) -> Json:
    error = failure.error
    encoded: Json = {
        "code": error.code,
        "msg": error.message,
        "type": error.type,
        "where": failure.span_id,
        "step_id": failure.step_id,
        "recovered": failure.recovered,
    }
    if error.traceback:
        encoded["traceback"] = error.traceback
    return encoded


def _beyond(promised: Json, extras: Mapping[str, object]) -> Json:
    """Return the members in ``extras`` that are not in ``promised``, sorted by key."""
    free = [key for key in sorted(extras) if key not in promised and key != "duplicate_of"]
    return {key: sorted_keys(extras[key]) for key in free}


def _span(verdict: SpanVerdict) -> Json:
    shown: Json = {
        "span_id": verdict.span_id,
        "parent_span_id": verdict.parent_span_id or None,
        "name": verdict.name,
        "kind": verdict.kind,
        "step_id": verdict.step_id,
        "dialect": verdict.dialect,
        "rule": verdict.rule,
        "started_at": str(verdict.start_ns // _NS_PER_MS),
        "duration": _ms(verdict.end_ns - verdict.start_ns),
        "error": _in_short(verdict.error),
    }
    if verdict.evaluations:
        shown["evaluations"] = list(verdict.evaluations)
    return shown


def _in_short(error: StepError | None) -> str | None:
    """Return a failure as one line, like the last line of a traceback: ``KeyError: 'city'``."""
    if error is None:
        return None
    return with_type(error.message.partition("\n")[0], error.type)[:MAX_ERROR_CHARS]


def _ms(duration_ns: int) -> str:
    return str(duration_ns // _NS_PER_MS) if duration_ns > 0 else "0"
