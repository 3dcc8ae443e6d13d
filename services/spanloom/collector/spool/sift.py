"""Splits a refused batch in halves until the store accepts all but the faulty requests or spans.

``sift`` is called first with the requests of a batch, then with the spans of a faulty request. The
fields that Spanloom added to the sender's data (project, JSON texts) are unknown to the generated
OTLP classes, which preserve unknown fields.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from google.protobuf.message import DecodeError, Message
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, ScopeSpans, Span

    from spanloom.core.ports.spans import SpooledRequest


Item = TypeVar("Item")
"""A request in a batch, or a span in a request."""

MAX_FRUITLESS = 127
"""If this many attempts are refused and none has succeeded, bisecting stops.

The number is enough to split 64 requests completely.
"""


def sift(
    batch: Sequence[Item],
    error: Exception,
    store: Callable[[Sequence[Item]], Exception | None],
    *,
    fruitless: int | None = None,
    most: int | None = None,
) -> list[tuple[Item, Exception]] | None:
    """Store the acceptable items of a refused batch; return the other items with their errors.

    ``store`` returns the error if it refuses items, ``None`` if they are stored. All halves of one
    size are tried before any is halved again, so that one bad item among 10,000 delays the good
    items by at most 14 small attempts.

    Returns ``None`` after ``fruitless`` refusals without any success, because single items are then
    not known to be bad. After ``most`` refusals all items that are not stored yet count as refused.
    """
    refused: list[tuple[Item, Exception]] = []
    parts = [(batch, error)]
    refusals = 0
    any_passed = False
    while parts:
        halves: list[tuple[Sequence[Item], Exception]] = []
        for part, why in parts:
            if len(part) == 1 or (most is not None and refusals >= most):
                refused += ((item, why) for item in part)
                continue
            for half in (part[: len(part) // 2], part[len(part) // 2 :]):
                reason = store(half)
                if reason is not None:
                    halves.append((half, reason))
                    refusals += 1
                any_passed = any_passed or reason is None
            if fruitless is not None and refusals >= fruitless and not any_passed:
                return None
        parts = halves
    return refused


_Message = TypeVar("_Message", bound=Message)


class Placed(NamedTuple):
    """A span, with copies of its resource and scope entries without their spans."""

    resource: ResourceSpans
    scope: ScopeSpans
    span: Span


def cut(request: SpooledRequest) -> Sequence[Placed]:
    """Return the spans of a request in order; empty if it cannot be parsed."""
    try:
        message = ExportTraceServiceRequest.FromString(request.body)
    except DecodeError:
        return ()
    return list(_placed(message))


def assemble(request: SpooledRequest, spans: Sequence[Placed]) -> SpooledRequest:
    """Return the request with only these spans, which must be in the order of the request."""
    message = ExportTraceServiceRequest()
    for _, of_resource in groupby(spans, lambda placed: id(placed.resource)):
        for number, (_, of_scope) in enumerate(groupby(of_resource, lambda p: id(p.scope))):
            some = list(of_scope)
            if not number:
                message.resource_spans.add().CopyFrom(some[0].resource)
            scope = message.resource_spans[-1].scope_spans.add()
            scope.CopyFrom(some[0].scope)
            scope.spans.extend(placed.span for placed in some)
    return replace(request, body=message.SerializeToString(), span_count=len(spans))


def _placed(message: ExportTraceServiceRequest) -> Iterator[Placed]:
    for resource in message.resource_spans:
        bare_resource = _without(resource, "scope_spans")
        for scope in resource.scope_spans:
            bare_scope = _without(scope, "spans")
            for span in scope.spans:
                yield Placed(bare_resource, bare_scope, span)


def _without(message: _Message, field: str) -> _Message:
    copy = type(message)()
    copy.CopyFrom(message)
    copy.ClearField(field)
    return copy
