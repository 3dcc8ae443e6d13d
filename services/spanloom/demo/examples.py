"""The example runs for the web page: recorded runs of several frameworks, with new times and ids.

Ids change each minute: runs sent twice within a minute are stored once, and deleted runs, whose ids
the service refuses, can be sent again a minute later.
"""

from __future__ import annotations

import gzip
import hashlib
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple

from google.protobuf.json_format import ParseDict
from opentelemetry.proto.common.v1.common_pb2 import KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import TracesData

from spanloom.core.conventions.projects import PROJECT
from spanloom.core.formats.otlp import resource_spans_json
from spanloom.demo.recording import move

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, Span

EXAMPLES = "examples"
"""The project and environment of the example runs, used to find and delete them."""
MARKS = {PROJECT: EXAMPLES, "deployment.environment.name": EXAMPLES}
APART_NS = 17 * 60 * 10**9
"""Nanoseconds between the ends of two runs."""
_SAME_IDS_NS = 60 * 10**9


class Example(NamedTuple):
    """One run as OTLP JSON."""

    trace_id: str
    groups: Sequence[bytes]
    """The items of the run's ``resourceSpans``."""


def make_examples(now_ns: int) -> Sequence[Example]:
    """Return all example runs, newest first; the newest run ends at ``now_ns``."""
    return [
        _example(recorded, now_ns - place * APART_NS) for place, recorded in enumerate(_recorded())
    ]


@cache
def _recorded() -> Sequence[bytes]:
    folder = files(__package__) / "examples"
    packed = sorted(folder.iterdir(), key=lambda file: file.name)
    return [gzip.decompress(file.read_bytes()) for file in packed]


def _example(recorded: bytes, end_ns: int) -> Example:
    data = TracesData.FromString(recorded)
    spans = list(_spans_of(data))
    shift_ns = end_ns - max(span.end_time_unix_nano for span in spans)
    for span in spans:
        move(span, shift_ns)
        _renew(span, str(end_ns // _SAME_IDS_NS))
    for group in data.resource_spans:
        _mark(group)
    return Example(spans[0].trace_id.hex(), resource_spans_json(data.SerializeToString()))


def _renew(span: Span, salt: str) -> None:
    span.trace_id, span.span_id = _new_id(span.trace_id, salt), _new_id(span.span_id, salt)
    for link in span.links:
        link.trace_id, link.span_id = _new_id(link.trace_id, salt), _new_id(link.span_id, salt)
    if span.parent_span_id:
        span.parent_span_id = _new_id(span.parent_span_id, salt)


def _new_id(old: bytes, salt: str) -> bytes:
    return hashlib.blake2b(old, digest_size=len(old), key=salt.encode()).digest()


def _spans_of(data: TracesData) -> Iterator[Span]:
    for group in data.resource_spans:
        for scope_spans in group.scope_spans:
            yield from scope_spans.spans


def _mark(group: ResourceSpans) -> None:
    for key, value in MARKS.items():
        fields: dict[str, Any] = {"key": key, "value": {"stringValue": value}}
        group.resource.attributes.append(ParseDict(fields, KeyValue()))
