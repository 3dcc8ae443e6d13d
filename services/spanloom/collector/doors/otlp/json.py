"""Converts OTLP/JSON to OTLP protobuf by OTLP's JSON mapping, one encoder per message type."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import orjson
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from spanloom.collector.doors.otlp.json_values import (
    InvalidFieldError,
    enum_encoder,
    scalar_encoder,
)
from spanloom.core.errors import InvalidRequestError, RequestTooLargeError
from spanloom.wire.varint import encode_varint

if TYPE_CHECKING:
    from google.protobuf.descriptor import Descriptor, FieldDescriptor

    from spanloom.collector.intake.limits import Limits


__all__ = ["InvalidFieldError", "MessageEncoder"]

_Write = Callable[[object, int], bytes]
"""Encodes a JSON value as protobuf; the number is how many levels of nesting are still allowed."""

_VALUE_MESSAGE = "opentelemetry.proto.common.v1.AnyValue"


class MessageEncoder:
    """Encodes one message type; created once per type, with the encoders of its fields."""

    def __init__(self, name: str) -> None:
        """Start without fields; ``of`` adds them, because a message type may contain itself."""
        self._fields: dict[str, _Write] = {}
        self._nests = name == _VALUE_MESSAGE

    @classmethod
    def of(
        cls, message: Descriptor, known: dict[str, MessageEncoder] | None = None
    ) -> MessageEncoder:
        """Create the encoders for a message type and for all message types in its fields."""
        known = {} if known is None else known
        if message.full_name not in known:
            encoder = known[message.full_name] = cls(message.full_name)
            for field in message.fields:
                write = _field_writer(field, known)
                encoder._fields[field.json_name] = write
                encoder._fields[field.name] = write
        return known[message.full_name]

    def encode(self, value: object, depth: int) -> bytes:
        """Return the message's bytes; unknown fields and ``null`` are ignored.

        Raises ``InvalidFieldError`` with the path relative to this message.
        """
        if not isinstance(value, dict):
            raise InvalidFieldError("must be an object")
        if self._nests:
            if depth == 0:
                raise InvalidFieldError("nests too deep")
            depth -= 1
        parts = []
        for name, content in value.items():
            write = self._fields.get(name)
            if write is None or content is None:
                continue
            try:
                parts.append(write(content, depth))
            except InvalidFieldError as error:
                error.prepend(name)
                raise
        return b"".join(parts)


def _field_writer(field: FieldDescriptor, known: dict[str, MessageEncoder]) -> _Write:
    """Return the function that encodes a field: its tag, its length if needed, its content."""
    write = _single_writer(field, known)
    return _list_writer(write) if field.is_repeated else write


def _single_writer(field: FieldDescriptor, known: dict[str, MessageEncoder]) -> _Write:
    if field.message_type is not None:
        return _message_writer(_tag(field, 2), MessageEncoder.of(field.message_type, known))
    if field.enum_type is not None:
        encode = enum_encoder({value.name: value.number for value in field.enum_type.values})
        return _scalar_writer(_tag(field, 0), encode)
    wire_type, encode = scalar_encoder(field)
    return _scalar_writer(_tag(field, wire_type), encode)


def _tag(field: FieldDescriptor, wire_type: int) -> bytes:
    return encode_varint(field.number << 3 | wire_type)


def _scalar_writer(tag: bytes, encode: Callable[[object], bytes]) -> _Write:
    def write(value: object, _depth: int) -> bytes:
        return tag + encode(value)

    return write


def _message_writer(tag: bytes, encoder: MessageEncoder) -> _Write:
    def write(value: object, depth: int) -> bytes:
        content = encoder.encode(value, depth)
        return tag + encode_varint(len(content)) + content

    return write


def _list_writer(write: _Write) -> _Write:
    """Return the function that encodes a list, with a tag per element; OTLP packs no lists."""

    def write_all(value: object, depth: int) -> bytes:
        if not isinstance(value, list):
            raise InvalidFieldError("must be an array")
        parts = []
        for index, element in enumerate(value):
            try:
                parts.append(write({} if element is None else element, depth))
            except InvalidFieldError as error:
                error.prepend(f"[{index}]")
                raise
        return b"".join(parts)

    return write_all


_SHOWN_BYTES = 200


def load_json(body: bytes, limits: Limits) -> dict[str, object]:
    """Parse a request's JSON text, which must be one object.

    Raises ``InvalidRequestError``, and ``RequestTooLargeError`` if the text has more than
    ``max_json_nodes`` values, whose parsed form would take too much memory.
    """
    nodes = body.count(b"{") + body.count(b"[") + body.count(b",")
    if nodes > limits.max_json_nodes:
        raise RequestTooLargeError(
            f"The request has more than {limits.max_json_nodes} JSON values: send smaller batches."
        )
    try:
        document: object = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        if error.msg.startswith("Not enough memory"):  # orjson raises the same class
            raise MemoryError from error
        raise InvalidRequestError(f"The body is not valid JSON: {error}.") from error
    if not isinstance(document, dict):
        raise InvalidRequestError("The body must be a JSON object.")
    return document


def decode_traces(body: bytes, limits: Limits) -> bytes:
    """Return a JSON ``ExportTraceServiceRequest`` as protobuf.

    Raises ``InvalidRequestError``, which names the invalid field. A malformed id does not fail the
    request: it becomes bytes of a wrong length, so validation rejects only the span with this id.
    """
    return _decode(body, _TRACES, limits)


def decode_logs(body: bytes, limits: Limits) -> bytes:
    """Return a JSON ``ExportLogsServiceRequest`` as protobuf; see ``decode_traces``."""
    return _decode(body, _LOGS, limits)


def _decode(body: bytes, message: MessageEncoder, limits: Limits) -> bytes:
    document = load_json(body, limits)
    try:
        return message.encode(document, limits.max_value_depth)
    except InvalidFieldError as error:
        path = error.path[:_SHOWN_BYTES]
        raise InvalidRequestError(f"{path}: {error}.") from error


_TRACES = MessageEncoder.of(ExportTraceServiceRequest.DESCRIPTOR)
_LOGS = MessageEncoder.of(ExportLogsServiceRequest.DESCRIPTOR)
