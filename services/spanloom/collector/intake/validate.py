"""Validates requests: decides which spans are stored, and in which form.

A request is parsed twice, both times in C. The generated OTLP class proves that the whole request
is well-formed and that every string is UTF-8. The class ``TraceRequest``
(``proto/spanloom/receive.proto``) leaves attribute values encoded; Python iterates over its spans.
The request is encoded again only if something in it has to change.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from spanloom.collector.intake.attributes import AttributeRules
from spanloom.collector.intake.findings import Change, Findings, Rejection
from spanloom.collector.intake.prescan import drop_unknown_fields, scan_request
from spanloom.collector.intake.tenancy import resolve_project, sizes_by_project, write_projects
from spanloom.core.errors import InvalidRequestError
from spanloom.wire.receive_pb2 import TraceRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from spanloom.collector.intake.limits import Limits
    from spanloom.collector.intake.redaction.redactor import Redaction
    from spanloom.wire.receive_pb2 import ResourceSpans, ScopeSpans, Span

_NO_TRACE = bytes(16)
_NO_SPAN = bytes(8)
_UINT32_MAX = 0xFFFF_FFFF


@dataclass(frozen=True, slots=True)
class Validated:
    """A validated request, ready for the spool, and the report to the client."""

    body: bytes
    span_count: int
    """Number of spans in the body; 0 if there is nothing to store."""
    rejected: int
    message: str
    """Why spans were rejected or changed; empty if all were accepted unchanged."""
    rejected_by_rule: Mapping[str, int]
    sizes: Mapping[str, int]
    """Number of bytes in the body, keyed by project."""


def validate_request(
    body: bytes,
    limits: Limits,
    key_project: str = "",
    findings: Findings | None = None,
    redaction: Redaction | None = None,
    is_full: Callable[[str], bool] = lambda _project: False,
) -> Validated:
    """Check an encoded ``ExportTraceServiceRequest`` against every rule and limit.

    Writes the project of each resource (``tenancy.py``); ``key_project`` is the API key's project,
    empty if the key has none. ``findings`` counts spans that an endpoint has already left out.
    ``redaction`` redacts the spans. Resources are rejected if ``is_full`` is true for their
    project.

    Raises ``InvalidRequestError`` or ``RequestTooLargeError`` if the whole request must be refused;
    a span that violates a rule is rejected alone.
    """
    scan_request(body, limits)
    findings = findings or Findings()
    body, request = _parse(body, findings)
    rules = _RequestRules(limits, len(body), key_project, findings, redaction, is_full)
    rules.apply(request)
    if redaction:
        request.DiscardUnknownFields()  # such as entity references, which no rule checks
    if rules.changed or redaction:  # of repeated keys only one value is encoded
        body = request.SerializeToString()
    return Validated(
        body=write_projects(body, rules.projects),
        span_count=rules.kept,
        rejected=rules.findings.rejected,
        message=rules.findings.message(),
        rejected_by_rule=rules.findings.rejected_by_rule,
        sizes=sizes_by_project(body, rules.projects),
    )


def _parse(body: bytes, findings: Findings) -> tuple[bytes, TraceRequest]:
    """Return the encoded request without unknown fields, and the parsed ``TraceRequest``.

    Unknown fields must be removed, because ``TraceRequest`` omits attributes that have such fields,
    so no rule would see them, and because they could collide with the fields that we append.
    """
    try:
        request = ExportTraceServiceRequest.FromString(body)
        view = TraceRequest.FromString(body)
        view.DiscardUnknownFields()
        if view.ByteSize() == len(body):
            return body, view
        body = drop_unknown_fields(request, findings)
        return body, TraceRequest.FromString(body)
    except DecodeError as error:
        raise InvalidRequestError(
            "The request is not a valid ExportTraceServiceRequest: its protobuf is broken, a "
            "string is not UTF-8, or values nest too deep."
        ) from error


class _RequestRules:
    """Applies the rules in one pass over a request, with flat loops for speed."""

    def __init__(
        self,
        limits: Limits,
        request_bytes: int,
        key_project: str,
        findings: Findings,
        redaction: Redaction | None,
        is_full: Callable[[str], bool],
    ) -> None:
        self.findings = findings
        self.kept = 0
        self.projects: list[str] = []
        """The project of each resource entry."""
        self._key_project = key_project
        self._limits = limits
        self._attributes = AttributeRules(limits, self.findings, request_bytes)
        self._identities: set[tuple[bytes, bytes]] = set()
        self._redaction = redaction
        self._is_full = is_full
        self._changed = False

    @property
    def changed(self) -> bool:
        return self._changed or self._attributes.changed

    def apply(self, request: TraceRequest) -> None:
        for resource in request.resource_spans:
            attributes = resource.resource.attributes
            project = resolve_project(self._key_project, attributes, self.findings)
            self.projects.append(project)
            if self._is_full(project):
                self._refuse(resource)
                continue
            if self._redaction:  # before truncation: half a secret is not recognised
                self._redaction.resource(resource)
            if resource.HasField("resource"):
                self._attributes.apply(resource.resource)
            for scope in resource.scope_spans:
                if self._redaction:
                    self._redaction.scope(scope)
                if scope.HasField("scope"):
                    self._attributes.apply(scope.scope)
                spans = scope.spans
                kept = [span for span in spans if self._accept(span)]
                self.kept += len(kept)
                if len(kept) < len(spans):
                    self._replace(scope, kept)
        if len(self._identities) < self.kept:
            self._drop_repeated(request)

    def _refuse(self, resource: ResourceSpans) -> None:
        """Empty a resource entry; the entry stays, because ``projects`` has one item per entry."""
        spans = sum(len(scope.spans) for scope in resource.scope_spans)
        self.findings.rejections[Rejection.QUOTA] += spans
        resource.Clear()
        self._changed = True

    def _accept(self, span: Span) -> bool:
        """Apply every rule to one span; return whether it is stored."""
        trace_id = span.trace_id
        if len(trace_id) != 16 or trace_id == _NO_TRACE:
            self.findings.rejections[Rejection.TRACE_ID] += 1
            return False
        span_id = span.span_id
        if len(span_id) != 8 or span_id == _NO_SPAN:
            self.findings.rejections[Rejection.SPAN_ID] += 1
            return False
        self._identities.add((trace_id, span_id))
        parent_id = span.parent_span_id
        if parent_id and (len(parent_id) != 8 or parent_id == _NO_SPAN):
            self._clear_parent(span)
        if self._redaction:
            self._redaction.span(span)
        self._attributes.apply(span)
        if span.events or span.links:
            self._apply_to_parts(span)
        return True

    def _clear_parent(self, span: Span) -> None:
        """Remove the parent id; eight zero bytes as parent id are common, and not reported."""
        if span.parent_span_id != _NO_SPAN:
            self.findings.changes[Change.PARENT_ID] += 1
        span.parent_span_id = b""
        self._changed = True

    def _apply_to_parts(self, span: Span) -> None:
        """Apply attribute rules to events and links; drop events and links beyond their limits."""
        limits = self._limits
        if (excess := len(span.events) - limits.max_events) > 0:
            del span.events[limits.max_events :]
            span.dropped_events_count = min(span.dropped_events_count + excess, _UINT32_MAX)
            self._note(Change.EVENTS)
        if (excess := len(span.links) - limits.max_links) > 0:
            del span.links[limits.max_links :]
            span.dropped_links_count = min(span.dropped_links_count + excess, _UINT32_MAX)
            self._note(Change.LINKS)
        for event in span.events:
            self._attributes.apply(event)
        for link in span.links:
            self._attributes.apply(link)

    def _drop_repeated(self, request: TraceRequest) -> None:
        """Keep only the last of several spans with the same ids, which the store could not order.

        A finished span is preferred to copies that were sent while it was open.
        """
        scopes = [s for resource in request.resource_spans for s in resource.scope_spans]
        spans = [span for scope in scopes for span in scope.spans]
        last: dict[tuple[bytes, bytes], int] = {}
        for at, span in enumerate(spans):
            known = last.get((span.trace_id, span.span_id))
            if known is None or _is_finished(span) or not _is_finished(spans[known]):
                last[span.trace_id, span.span_id] = at
        kept = set(last.values())
        places = iter(range(len(spans)))
        for scope in scopes:
            own = [span for span, at in zip(scope.spans, places, strict=False) if at in kept]
            if len(own) < len(scope.spans):
                self._replace(scope, own)
        self.kept = len(kept)

    def _replace(self, scope: ScopeSpans, spans: Iterable[Span]) -> None:
        spans = list(spans)
        del scope.spans[:]
        scope.spans.extend(spans)
        self._changed = True

    def _note(self, change: Change) -> None:
        self.findings.changes[change] += 1
        self._changed = True


def _is_finished(span: Span) -> bool:
    """Return whether a span has an end, like ``core.model.span.Span.is_finished``."""
    end_ns = span.end_time_unix_nano
    return end_ns > 0 and end_ns >= span.start_time_unix_nano
