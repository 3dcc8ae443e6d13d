"""Writes a step as a span of an MLflow trace."""

from __future__ import annotations

from base64 import b64encode
from typing import TYPE_CHECKING, Any

from spanloom.core.exchange.mlflow import names
from spanloom.core.exchange.mlflow.documents import documents_in
from spanloom.core.exchange.mlflow.failures import Failures
from spanloom.core.exchange.mlflow.ordered import ordered_steps
from spanloom.core.exchange.mlflow.texts import (
    string_of,
    write_answer,
    write_arguments,
    write_documents,
    write_request,
    write_value,
)
from spanloom.core.formats.json_bytes import dump
from spanloom.core.formats.losses import Code
from spanloom.core.model.step import StepType

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from spanloom.core.document import Document, DocumentStep
    from spanloom.core.exchange.mlflow.texts import Written
    from spanloom.core.formats.json_bytes import Json
    from spanloom.core.formats.losses import Losses

_NS_PER_MS = 1_000_000
_COST = "cost"
_OK, _ERROR = "STATUS_CODE_OK", "STATUS_CODE_ERROR"
_OWN_MEMBERS = {"reasoning_tokens": "reasoning_tokens", "latency_first_resp": "first_token_ms"}
"""Members of ``model_info`` that only ``spanloom.step`` can hold, with their names there."""


class SpanWriter:
    """Writes the steps of one run."""

    def __init__(self, document: Document, losses: Losses) -> None:
        """Prepare the values that all spans of a run share."""
        self._trace = _base64(document.id)
        self._request = string_of(f"tr-{document.id}")
        self._losses = losses
        self._steps = ordered_steps(document)
        self._failures = Failures(document, self._steps)
        self.root = self._steps[0][0]

    def spans(self) -> list[Json]:
        """Return a span for each step, the root first."""
        return [self._span(step, parent_id) for step, parent_id in self._steps]

    def failures_elsewhere(self) -> Iterator[int]:
        """Yield the index of each failure that is not written because its span is not a step."""
        written = {step.id for step, _ in self._steps}
        yield from (at for at, where in enumerate(self._failures.places) if where not in written)

    def _span(self, step: DocumentStep, parent_id: str) -> Json:
        start, end = step.times
        error = step.error
        if step.type == StepType.GRAPH:
            self._losses.note(Code.GRAPH_FLATTENED, step.id)
        return {
            "trace_id": self._trace,
            "span_id": _base64(step.id),
            "parent_span_id": _base64(parent_id) if parent_id else None,
            "name": step.name,
            "start_time_unix_nano": start * _NS_PER_MS,
            "end_time_unix_nano": end * _NS_PER_MS,
            "events": [] if error is None else [self._failures.event(step, end * _NS_PER_MS)],
            "status": {"code": _OK, "message": ""}
            if error is None
            else {"code": _ERROR, "message": step.error_message},
            "attributes": self._attributes(step),
            "links": [],
        }

    def _attributes(self, step: DocumentStep) -> dict[str, str]:
        metadata = step.metadata
        is_model, is_tool = step.type == StepType.MODEL, step.type == StepType.TOOL
        span_type = names.TYPES.get(step.type, names.UNKNOWN)
        if is_tool:
            span_type = names.TYPES_OF_TOOLS.get(metadata.get(names.TOOL_KIND, ""), span_type)
        sent, received = _texts(step, is_model=is_model, is_tool=is_tool, span_type=span_type)
        ours: Json = {"type": step.type, "metadata": metadata}
        if sent.kept:
            ours["input"] = sent.kept
        if received.kept:
            ours["output"] = received.kept
        if step.error is not None:
            ours["error_code"] = step.error.get("code")
        attributes = {
            names.REQUEST_ID: self._request,
            names.SPAN_TYPE: f'"{span_type}"',
            names.INPUTS: sent.json,
            names.OUTPUTS: received.json,
        }
        if is_model:
            attributes |= _of_model(step)
            info = step.model_info
            ours |= {name: info[key] for key, name in _OWN_MEMBERS.items() if info.get(key)}
        attributes[names.STEP] = dump(ours).decode()
        return attributes


def _texts(
    step: DocumentStep, *, is_model: bool, is_tool: bool, span_type: str
) -> tuple[Written, Written]:
    if is_model:
        return write_request(step.input), write_answer(step.output)
    sent = write_arguments(step.input) if is_tool else write_value(step.input)
    if span_type == names.TYPES_OF_TOOLS[names.RETRIEVAL] and step.output:
        return sent, write_documents(step.output, documents_in(step.output))
    return sent, write_value(step.output)


def _of_model(step: DocumentStep) -> dict[str, str]:
    """Return attributes for model, tokens and cost, without unknown values."""
    info, metadata = step.model_info, step.metadata
    attributes: dict[str, str] = {}
    if step.model:
        attributes[names.MODEL] = string_of(step.model)
    if provider := metadata.get("provider"):
        attributes[names.PROVIDER] = string_of(provider)
    usage = _usage(info)
    if any(usage.values()):
        attributes[names.USAGE] = dump(usage).decode()
    if (cost := _number(metadata.get(_COST))) is not None:
        attributes[names.COST] = dump({"total_cost": cost}).decode()
    return attributes


def _usage(info: Mapping[str, Any]) -> Mapping[str, int]:
    sent, received = info.get("input_tokens") or 0, info.get("output_tokens") or 0
    usage = {"input_tokens": sent, "output_tokens": received, "total_tokens": sent + received}
    cached = {
        "cache_read_input_tokens": info.get("input_read_cached_tokens"),
        "cache_creation_input_tokens": info.get("input_creation_cached_tokens"),
    }
    return usage | {name: count for name, count in cached.items() if count}


def _number(text: object) -> float | None:
    try:
        return float(text) if isinstance(text, str) else None
    except ValueError:
        return None


def _base64(hex_id: str) -> str:
    try:
        return b64encode(bytes.fromhex(hex_id)).decode()
    except ValueError:  # a document that another program wrote
        return b64encode(hex_id.encode("utf-8", "replace")).decode()
