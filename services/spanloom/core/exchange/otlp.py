"""Converts OTLP JSON to the form of stored spans, and builds documents without a store.

Attribute values get the form that they have in the store: numbers in decimal, bytes in base64,
arrays and key-value lists as JSON. The limits of the receivers do not apply.
"""

from __future__ import annotations

import math
from collections import defaultdict
from typing import TYPE_CHECKING

from spanloom.core.conventions.projects import project_of
from spanloom.core.errors import InvalidRequestError
from spanloom.core.extract import extract
from spanloom.core.formats.canonical import encode_document, encode_spans
from spanloom.core.formats.json_bytes import dump
from spanloom.core.formats.readers import a_list, a_text, an_object, kind_of
from spanloom.core.formats.stored import Stored
from spanloom.core.model.span import Event, Link, Span, TraceKey
from spanloom.core.model.trajectory import Status
from spanloom.core.values.doubles import double_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from spanloom.core.formats.json_bytes import Json

KINDS = ("Unspecified", "Internal", "Server", "Client", "Producer", "Consumer")
STATUS_CODES = ("Unset", "Ok", "Error")
MAX_DEPTH = 64
_NO_ID = {32: "0" * 32, 16: "0" * 16}
_MAX_NS = 2**64 - 1
_ENVIRONMENT = ("deployment.environment.name", "deployment.environment")
_RELEASE = ("service.version", "vcs.ref.head.revision")


class Traces:
    """Collects spans in memory, keyed by trace."""

    def __init__(self, project: str | None) -> None:
        """Put all traces into ``project`` if it is not empty."""
        self._project = project
        self._spans: defaultdict[TraceKey, dict[str, Span]] = defaultdict(dict)

    def add(self, groups: Sequence[Json]) -> set[str]:
        """Add the spans in ``resourceSpans``, and return the ids of their traces.

        Raises ``InvalidRequestError`` for invalid OTLP, in which case no span is added.
        """
        found = [pair for group in groups for pair in spans_of(group)]
        for project, span in found:
            key = TraceKey(self._project or project, span.trace_id)
            self._spans[key][span.span_id] = span
        return {span.trace_id for _, span in found}

    def documents(self) -> Iterator[Stored]:
        """Yield a document for each trace, with its classified spans, in the order of arrival."""
        for key, spans in self._spans.items():
            trajectory = extract(key, spans.values())
            document = encode_document(trajectory, 1, Status.SETTLED)
            yield Stored(document, encode_spans(trajectory))


def spans_of(group: Json) -> Iterator[tuple[str, Span]]:
    """Yield each span in an item of ``resourceSpans``, with its project.

    Raises ``InvalidRequestError`` for a span without ids, and for invalid OTLP.
    """
    owner = an_object(group.get("resource") or {}, "resource")
    resource = _texts(owner.get("attributes"), "resource.attributes")
    project = project_of(resource)
    for scope_spans in a_list(group.get("scopeSpans") or [], "scopeSpans"):
        scope = an_object(an_object(scope_spans, "scopeSpans").get("scope") or {}, "scope")
        for span in a_list(scope_spans.get("spans") or [], "spans"):
            yield project, _span(an_object(span, "spans"), scope, resource)


def _span(wire: Json, scope: Json, resource: Mapping[str, str]) -> Span:
    status = an_object(wire.get("status") or {}, "status")
    parent = _id(wire.get("parentSpanId") or "", 16, "parentSpanId")
    return Span(
        trace_id=_needed(_id(wire.get("traceId") or "", 32, "traceId"), "traceId"),
        span_id=_needed(_id(wire.get("spanId") or "", 16, "spanId"), "spanId"),
        parent_span_id=parent,
        name=a_text(wire.get("name") or "", "name"),
        kind=_named(wire.get("kind") or 0, KINDS, "kind"),
        start_ns=_nanoseconds(wire.get("startTimeUnixNano") or 0, "startTimeUnixNano"),
        end_ns=_nanoseconds(wire.get("endTimeUnixNano") or 0, "endTimeUnixNano"),
        status_code=_named(status.get("code") or 0, STATUS_CODES, "status.code"),
        status_message=a_text(status.get("message") or "", "status.message"),
        service_name=resource.get("service.name", ""),
        scope_name=a_text(scope.get("name") or "", "scope.name"),
        scope_version=a_text(scope.get("version") or "", "scope.version"),
        attributes=_texts(wire.get("attributes"), "attributes"),
        events=tuple(map(_event, a_list(wire.get("events") or [], "events"))),
        links=tuple(map(_link, a_list(wire.get("links") or [], "links"))),
        row_version=0,
        environment=next((resource[key] for key in _ENVIRONMENT if resource.get(key)), ""),
        release=next((resource[key] for key in _RELEASE if resource.get(key)), ""),
    )


def _event(value: object) -> Event:
    event = an_object(value, "events")
    at_ns = _nanoseconds(event.get("timeUnixNano") or 0, "events.timeUnixNano")
    name = a_text(event.get("name") or "", "events.name")
    return Event(at_ns, name, _texts(event.get("attributes"), "events.attributes"))


def _link(value: object) -> Link:
    link = an_object(value, "links")
    trace_id = _id(link.get("traceId") or "", 32, "links.traceId")
    span_id = _id(link.get("spanId") or "", 16, "links.spanId")
    return Link(trace_id, span_id, _texts(link.get("attributes"), "links.attributes"))


def _needed(value: str, where: str) -> str:
    if not value:
        raise InvalidRequestError(f"{where}: a span needs one")
    return value


def _id(value: object, digits: int, where: str) -> str:
    """Return an id in lower case, empty if all zeros; raise ``InvalidRequestError`` if invalid."""
    text = a_text(value, where).lower()
    try:
        is_hex = len(bytes.fromhex(text)) * 2 == digits or not text
    except ValueError:
        is_hex = False
    if not is_hex:
        raise InvalidRequestError(f"{where}: {digits} hex digits are needed")
    return "" if text == _NO_ID[digits] else text


def _named(value: object, names: Sequence[str], where: str) -> str:
    if isinstance(value, str):  # as in protobuf's own JSON: SPAN_KIND_CLIENT
        known = {name.lower(): name for name in names}
        return known.get(value.rpartition("_")[2].lower(), names[0])
    if not isinstance(value, int):
        raise InvalidRequestError(f"{where}: a number is needed")
    return names[value] if 0 <= value < len(names) else str(value)


def _nanoseconds(value: object, where: str) -> int:
    try:
        number = int(value) if isinstance(value, str | int | float) else -1
    except (ValueError, OverflowError):
        number = -1
    if not 0 <= number <= _MAX_NS:
        raise InvalidRequestError(f"{where}: no time in nanoseconds")
    return number


def _texts(attributes: object, where: str) -> dict[str, str]:
    """Return attributes in their stored form; if a key is repeated, its last value counts."""
    texts: dict[str, str] = {}
    for attribute in a_list(attributes or [], where):
        key = a_text(an_object(attribute, where).get("key") or "", f"{where}.key")
        texts.pop(key, None)
        texts[key] = _text(an_object(attribute.get("value") or {}, f"{where}.{key}"))
    return texts


def _text(value: Json) -> str:
    plain = _plain(value, MAX_DEPTH)
    if isinstance(plain, bool):
        return "true" if plain else "false"
    if isinstance(plain, float):
        return double_text(plain)
    if isinstance(plain, dict | list):
        return dump(plain).decode()
    return "" if plain is None else str(plain)


def _plain(value: Json, depth: int) -> object:
    """Return an ``AnyValue`` as a Python value of at most ``depth`` levels."""
    if depth == 0:
        raise InvalidRequestError("an attribute value nests too deep")
    for name, convert in _VALUES.items():
        if (held := value.get(name)) is not None:
            if isinstance(held, dict | list):
                raise InvalidRequestError(f"{name}: {kind_of(held)} is no such value")
            try:
                return convert(held)
            except (TypeError, ValueError, OverflowError) as error:
                raise InvalidRequestError(f"{name}: {error}") from error
    if (array := value.get("arrayValue")) is not None:
        items = _objects(an_object(array, "arrayValue").get("values"), "arrayValue.values")
        return [_nested(item, depth - 1) for item in items]
    if (pairs := value.get("kvlistValue")) is not None:
        items = _objects(an_object(pairs, "kvlistValue").get("values"), "kvlistValue.values")
        return {str(p.get("key") or ""): _nested(p.get("value") or {}, depth - 1) for p in items}
    return None


def _nested(value: object, depth: int) -> object:
    plain = _plain(an_object(value, "value"), depth)
    return double_text(plain) if isinstance(plain, float) and not math.isfinite(plain) else plain


def _objects(value: object, where: str) -> Iterable[Json]:
    return [an_object(item, where) for item in a_list(value or [], where)]


_VALUES = {
    "stringValue": str,
    "boolValue": bool,
    "intValue": int,
    "doubleValue": float,
    "bytesValue": str,
}
