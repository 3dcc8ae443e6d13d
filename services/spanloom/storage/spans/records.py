"""Frames spool records for the store: requests with our fields appended, length-prefixed.

A protobuf message followed by further fields is still one message (``proto/README.md``).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from spanloom.core.errors import StoreRejectedError
from spanloom.storage.spans.values import OWN_TEXT_FIELD, all_attributes, own_text
from spanloom.wire.varint import encode_varint

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanloom.core.ports.spans import SpooledRequest

_VARINT, _FIXED64, _LENGTH = 0, 1, 2
_SEQ, _ACCEPTED_AT = 1000, 1002

PIECE_BYTES = 1 << 18


_SEQ_TAG = encode_varint(_SEQ << 3 | _VARINT)
_ACCEPTED_AT_TAG = encode_varint(_ACCEPTED_AT << 3 | _FIXED64)
_OWN_TEXT_TAG = encode_varint(OWN_TEXT_FIELD << 3 | _LENGTH)


class FramedRecords:
    """Requests as the body of one INSERT.

    It can be iterated again, because the driver resends a request if its connection was stale.
    """

    def __init__(self, requests: Sequence[SpooledRequest]) -> None:
        """Set the requests, which are framed when they are sent."""
        self._requests = requests

    def __iter__(self) -> Iterator[bytes]:
        """Yield the body in chunks: allocating memory for all of it costs more than copying."""
        piece: list[bytes] = []
        size = 0
        for request in self._requests:
            piece += _framed(request)
            size += len(request.body)
            if size >= PIECE_BYTES:
                yield b"".join(piece)
                piece.clear()
                size = 0
        yield b"".join(piece)


def _framed(request: SpooledRequest) -> tuple[bytes, bytes, bytes]:
    fields = b"".join(
        (
            *(_SEQ_TAG, encode_varint(request.seq)),
            *(_ACCEPTED_AT_TAG, request.accepted_at_ns.to_bytes(8, "little")),
        )
    )
    return encode_varint(len(request.body) + len(fields)), request.body, fields


def canonical_request(request: SpooledRequest) -> SpooledRequest:
    """Return the request re-encoded by protobuf, with only known fields and our own texts.

    Raises ``StoreRejectedError`` if it is not valid OTLP.
    """
    try:
        message = ExportTraceServiceRequest.FromString(request.body)
    except DecodeError as error:
        raise StoreRejectedError("the request is not valid OTLP protobuf") from error
    values = (a.value for group in message.resource_spans for a in all_attributes(group))
    texts = [(m, text) for m in (*message.resource_spans, *values) if (text := own_text(m))]
    message.DiscardUnknownFields()
    for owner, text in texts:
        encoded = text.encode()
        owner.MergeFromString(_OWN_TEXT_TAG + encode_varint(len(encoded)) + encoded)
    return replace(request, body=message.SerializeToString())
