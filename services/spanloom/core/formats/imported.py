"""Converts a canonical document to spans, one per step, from which it can be restored.

``core/conventions/imported.py`` names the attributes of these spans, and
``core/extraction/restore.py`` restores the document from them.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import orjson

from spanloom.core.conventions import imported as carried
from spanloom.core.document import EXTRACTION, ROOT, SHOWN, Document
from spanloom.core.errors import InvalidRequestError
from spanloom.core.formats.json_bytes import dump
from spanloom.core.model.span import Span
from spanloom.core.model.trajectory import Status

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.document import DocumentAgent, DocumentStep
    from spanloom.core.formats.json_bytes import Json

RECOMPUTED = frozenset(
    {"version", "status", "extractor_version", "project", "span_count", "resumes", "resumed_by"}
)
"""Members of ``extraction`` that are computed again when the document is imported."""
_OTHER = "other"
"""Member of ``step_counts`` that counts spans other than steps; imported runs have fewer."""
_TRACE_ID, _STEP_ID = re.compile("[0-9a-f]{32}"), re.compile("[0-9a-f]{16}")


@dataclass(slots=True)
class _Carrier:
    """A span to create for a step, with the step's data from all its entries in the document."""

    where: str
    parent_id: str
    shown: DocumentStep
    attributes: dict[str, str] = field(default_factory=dict)


def carry(document: Json) -> Sequence[Span]:
    """Convert a canonical document to spans.

    Raises ``InvalidRequestError``, with the path, for content that spans cannot hold.
    """
    view = Document(document)
    _check_id(view.id, _TRACE_ID, "id", 32)
    carriers: dict[str, _Carrier] = {}
    _carry_root(view, carriers)
    _carry_agents(view, carriers)
    digest = hashlib.blake2b(orjson.dumps(document), digest_size=12).hexdigest()
    for carrier in carriers.values():
        carrier.attributes[carried.DOCUMENT] = digest
    carriers[view.root.id].attributes[carried.SPANS] = str(len(carriers))
    return [_span(view.id, step_id, carrier) for step_id, carrier in carriers.items()]


def _carry_root(document: Document, carriers: dict[str, _Carrier]) -> None:
    root, extraction = document.root, document.extraction
    if extraction.status_text == Status.FAILED:
        raise InvalidRequestError("extraction.status: failed; there is no run that it shows")
    attributes = _note(carriers, root, "", ROOT).attributes
    attributes[carried.TYPE] = root.type
    attributes[carried.ROOT_METADATA] = _json(root.metadata)
    attributes[carried.ROOT_METRICS] = _json(root.metrics_info)
    attributes[carried.EXTRACTION] = _json(extraction.json)


def _carry_agents(document: Document, carriers: dict[str, _Carrier]) -> None:
    root_id = document.root.id
    for at, agent in enumerate(document.agents):
        where = f"agent_steps.{at}"
        attributes = _note(carriers, agent, agent.parent_id, where).attributes
        if carried.AGENT_POSITION in attributes:
            raise InvalidRequestError(f"{where}.id: {agent.id} is there twice")
        attributes[carried.AGENT_POSITION] = str(at)
        attributes[carried.AGENT_METADATA] = _json(agent.metadata)
        attributes[carried.AGENT_METRICS] = _json(agent.metrics_info)
        attributes.setdefault(carried.TYPE, agent.type)
        _carry_steps(agent, where, carriers)
    for agent_id, carrier in carriers.items():
        is_listed = carried.OWNER in carrier.attributes
        if not is_listed and agent_id != root_id:
            raise InvalidRequestError(f"{carrier.where}.id: {agent_id} is no step of any agent")


def _carry_steps(agent: DocumentAgent, owner: str, carriers: dict[str, _Carrier]) -> None:
    for at, step in enumerate(agent.steps):
        where = f"{owner}.steps.{at}"
        attributes = _note(carriers, step, step.parent_id, where).attributes
        if carried.OWNER in attributes:
            raise InvalidRequestError(f"{where}.id: {step.id} is there twice")
        attributes[carried.OWNER], attributes[carried.POSITION] = agent.id, str(at)
        attributes[carried.STEP_METADATA] = _json(step.metadata)
        if attributes.setdefault(carried.TYPE, step.type) != step.type:
            raise InvalidRequestError(f"{where}.type: another copy has {attributes[carried.TYPE]}")
        if step.model_info:
            attributes[carried.MODEL_INFO] = _json(step.model_info)


def _note(
    carriers: dict[str, _Carrier], shown: DocumentStep, parent_id: str, where: str
) -> _Carrier:
    """Return a step's carrier; raise ``InvalidRequestError`` if two entries of the step differ."""
    _check_id(shown.id, _STEP_ID, f"{where}.id", 16)
    if parent_id:
        _check_id(parent_id, _STEP_ID, f"{where}.parent_id", 16)
    carrier = carriers.setdefault(shown.id, _Carrier(where, parent_id, shown))
    for name in SHOWN:
        if shown.json[name] != carrier.shown.json[name]:
            raise InvalidRequestError(
                f"{where}.{name}: {carrier.where} has the id and another value"
            )
    if parent_id != carrier.parent_id:
        raise InvalidRequestError(f"{where}.parent_id: {carrier.where} has another parent")
    return carrier


def _check_id(value: str, form: re.Pattern[str], where: str, digits: int) -> None:
    if not form.fullmatch(value):
        raise InvalidRequestError(f"{where}: {digits} lowercase hex digits are needed")


def _span(trace_id: str, step_id: str, carrier: _Carrier) -> Span:
    shown, info = carrier.shown, carrier.shown.basic_info
    start_ns = _nanoseconds(info["started_at"], f"{carrier.where}.basic_info.started_at")
    took_ns = _nanoseconds(info["duration"], f"{carrier.where}.basic_info.duration")
    error = info.get("error")
    texts = {carried.INPUT: shown.input, carried.OUTPUT: shown.output}
    failed = {} if error is None else {carried.ERROR: _json(error)}
    return Span(
        trace_id=trace_id,
        span_id=step_id,
        parent_span_id=carrier.parent_id,
        name=shown.name,
        kind="Internal",
        start_ns=start_ns,
        end_ns=start_ns + took_ns,
        status_code="Unset" if error is None else "Error",
        status_message="" if error is None else error["msg"],
        service_name="",
        scope_name=carried.SCOPE,
        scope_version="",
        attributes={**{k: v for k, v in texts.items() if v}, **failed, **carrier.attributes},
        events=(),
        links=(),
        row_version=0,
    )


def _nanoseconds(value: object, where: str) -> int:
    try:
        return carried.milliseconds(value)
    except carried.NotCarriedError as error:
        raise InvalidRequestError(f"{where}: a text of milliseconds is needed") from error


def _json(value: object) -> str:
    return dump(value).decode()


def span_json(span: Span) -> Mapping[str, Any]:  # OTLP JSON
    """Return a span as OTLP JSON."""
    encoded: dict[str, Any] = {
        "traceId": span.trace_id,
        "spanId": span.span_id,
        "name": span.name,
        "kind": 1,
        "startTimeUnixNano": str(span.start_ns),
        "endTimeUnixNano": str(span.end_ns),
        "attributes": [text_attribute(key, value) for key, value in span.attributes.items()],
    }
    if span.parent_span_id:
        encoded["parentSpanId"] = span.parent_span_id
    if span.status_code == "Error":
        encoded["status"] = {"code": 2, "message": span.status_message}
    return encoded


def text_attribute(key: str, value: str) -> Mapping[str, object]:
    """Return a string attribute as OTLP JSON."""
    return {"key": key, "value": {"stringValue": value}}


def find_loss(document: Json, restored: Json) -> str | None:
    """Return the first path at which the restored document differs; ``None`` if it is equal.

    Members that are computed again (``RECOMPUTED``) are not compared.
    """
    return find_difference(_comparable(document), _comparable(restored))


def find_difference(ours: object, theirs: object, where: str = "") -> str | None:
    """Return the first path at which two JSON values differ (``root_step.name``), or ``None``."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        keys = sorted(ours.keys() | theirs.keys())
        pairs = [(key, ours.get(key, ...), theirs.get(key, ...)) for key in keys]
    elif isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        pairs = [(str(n), a, b) for n, (a, b) in enumerate(zip(ours, theirs, strict=True))]
    else:
        return None if ours == theirs and type(ours) is type(theirs) else where
    found = (find_difference(a, b, f"{where}.{name}".lstrip(".")) for name, a, b in pairs)
    return next((place for place in found if place is not None), None)


def _comparable(document: Json) -> Json:
    extraction = Document(document).extraction
    lasting = {k: v for k, v in extraction.json.items() if k not in RECOMPUTED}
    counts = {k: v for k, v in extraction.step_counts.items() if k != _OTHER}
    return {**document, EXTRACTION: {**lasting, "step_counts": counts}}
