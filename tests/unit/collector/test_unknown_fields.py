"""An attribute with an unknown protobuf field obeys the same limits as any other attribute."""

from __future__ import annotations

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from tests.support.bad_inputs import field, span_of

from spanloom.collector.intake.limits import Limits
from spanloom.collector.intake.validate import Validated, validate_request

TRACE = b"t" * 16
UNKNOWN = field(100, b"from a later version")
STRING_INDEX = b"\x18\x05"
LIMITS = Limits(max_key_bytes=8)


def validated(key: bytes, extra: bytes, at_the_end: bytes = b"") -> Validated:
    attribute = field(1, key) + field(2, field(1, b"v")) + extra
    span = span_of(TRACE).SerializeToString() + field(9, attribute)
    return validate_request(field(1, field(2, field(2, span))) + at_the_end, LIMITS)


def attributes(of: Validated) -> dict[str, str]:
    request = ExportTraceServiceRequest.FromString(of.body)
    span = request.resource_spans[0].scope_spans[0].spans[0]
    return {pair.key: pair.value.string_value for pair in span.attributes}


@pytest.mark.parametrize("at_the_end", [b"", UNKNOWN], ids=["", "unknown field of the request"])
@pytest.mark.parametrize("extra", [b"", UNKNOWN, STRING_INDEX], ids=["none", "unknown", "index"])
def test_it_is_kept_and_measured(extra: bytes, at_the_end: bytes) -> None:
    kept = validated(b"k", extra, at_the_end)
    assert attributes(kept) == {"k": "v"}
    assert ("string indexes" in kept.message) == (extra == STRING_INDEX)
    assert attributes(validated(b"k" * 9, extra, at_the_end)) == {}
