"""Spool records as the store reads them: requests with our fields behind, each framed by length.

A protobuf message followed by further fields is still one message (``proto/README.md``).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from spanloom.core.errors import StoreRejectedError
from spanloom.storage.spans.values import JSON_TEXT_FIELD, all_attributes, json_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanloom.core.ports.spans import SpooledRequest

_VARINT, _FIXED64, _LENGTH = 0, 1, 2
_SEQ, _PROJECT, _ACCEPTED_AT = 1000, 1001, 1002

PIECE_BYTES = 1 << 18


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


_SEQ_TAG = _varint(_SEQ << 3 | _VARINT)
_PROJECT_TAG = _varint(_PROJECT << 3 | _LENGTH)
_ACCEPTED_AT_TAG = _varint(_ACCEPTED_AT << 3 | _FIXED64)
_JSON_TEXT_TAG = _varint(JSON_TEXT_FIELD << 3 | _LENGTH)


class FramedRecords:
    """Requests as the body of one INSERT.

    Every iteration begins anew: the driver sends a request again when its connection was stale.
    """

    def __init__(self, requests: Sequence[SpooledRequest]) -> None:
        """Take the requests as they are; they are framed when they are sent."""
        self._requests = requests

    def __iter__(self) -> Iterator[bytes]:
        """Give the body in pieces: fresh memory for the whole costs more than the copy."""
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
    project = request.project.encode()
    fields = b"".join(
        (
            *(_SEQ_TAG, _varint(request.seq)),
            *(_PROJECT_TAG, _varint(len(project)), project),
            *(_ACCEPTED_AT_TAG, request.accepted_at_ns.to_bytes(8, "little")),
        )
    )
    return _varint(len(request.body) + len(fields)), request.body, fields


def canonical_request(request: SpooledRequest) -> SpooledRequest:
    """Give the request as protobuf's own writer encodes it, known fields and JSON texts alone.

    Raises ``StoreRejectedError`` if it is no OTLP.
    """
    try:
        message = ExportTraceServiceRequest.FromString(request.body)
    except DecodeError as error:
        raise StoreRejectedError("the request is not valid OTLP protobuf") from error
    attributes = (a for group in message.resource_spans for a in all_attributes(group))
    texts = [(a.value, text) for a in attributes if (text := json_text(a.value))]
    message.DiscardUnknownFields()
    for value, text in texts:
        encoded = text.encode()
        value.MergeFromString(_JSON_TEXT_TAG + _varint(len(encoded)) + encoded)
    return replace(request, body=message.SerializeToString())
