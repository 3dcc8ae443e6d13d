"""Converts OTLP attribute values to text and back: the rules of the decoder in Python.

The decoder itself is SQL (``schema/0001_baseline/01_spans.sql``). This module reads its columns
back, and the in-memory store uses it; tests check that both agree.
"""

from __future__ import annotations

import base64
import math
from decimal import Decimal
from itertools import chain
from typing import TYPE_CHECKING

import orjson
from google.protobuf.unknown_fields import UnknownFieldSet
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from google.protobuf.internal.containers import RepeatedCompositeFieldContainer
    from google.protobuf.message import Message
    from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans

OWN_TEXT_FIELD = 1000
"""Our field (``proto/README.md``): the JSON text of an array or key-value list, and in a resource
entry, its project."""
_LENGTH_DELIMITED = 2

UNSET, STRING, BOOL, INT, DOUBLE, ARRAY, KVLIST, BYTES = range(8)
ARMS = {
    None: UNSET,
    "string_value": STRING,
    "bool_value": BOOL,
    "int_value": INT,
    "double_value": DOUBLE,
    "array_value": ARRAY,
    "kvlist_value": KVLIST,
    "bytes_value": BYTES,
}


def text_of(value: AnyValue) -> str:
    """Return the text under which a value is stored."""
    return _TEXTS[ARMS.get(value.WhichOneof("value"), UNSET)](value)


def own_text(message: Message) -> str:
    """Return the text that intake wrote into our field of a message; empty without one."""
    unknown = UnknownFieldSet(message)
    fields = (unknown[i] for i in range(len(unknown)))
    texts = [
        bytes(f.data)
        for f in fields
        if f.field_number == OWN_TEXT_FIELD and f.wire_type == _LENGTH_DELIMITED
    ]
    return texts[-1].decode() if texts else ""


def double_text(number: float) -> str:
    """Return the shortest text that reads back as the same double, as ClickHouse writes it."""
    if math.isfinite(number):
        return _finite_text(number)
    return "NaN" if math.isnan(number) else "Infinity" if number > 0 else "-Infinity"


def _finite_text(number: float) -> str:
    sign, digits, exponent = Decimal(repr(number)).normalize().as_tuple()
    point = len(digits) + int(exponent)
    text = "0" if number == 0 else _place_point("".join(map(str, digits)), point)
    return f"-{text}" if sign else text


def _place_point(digits: str, point: int) -> str:
    """Return the digits with the decimal point after the given place, like ECMAScript does."""
    if not -6 < point <= 21:  # Number::toString
        return f"{digits[0]}{'.' if len(digits) > 1 else ''}{digits[1:]}e{point - 1}"
    if point <= 0:
        return f"0.{'0' * -point}{digits}"
    whole, fraction = digits[:point].ljust(point, "0"), digits[point:]
    return f"{whole}.{fraction}" if fraction else whole


_TEXTS: Mapping[int, Callable[[AnyValue], str]] = {
    UNSET: lambda _: "",
    STRING: lambda value: value.string_value,
    BOOL: lambda value: "true" if value.bool_value else "false",
    INT: lambda value: str(value.int_value),
    DOUBLE: lambda value: double_text(value.double_value),
    ARRAY: own_text,
    KVLIST: own_text,
    BYTES: lambda value: base64.b64encode(value.bytes_value).decode(),
}


def attribute_lists(group: ResourceSpans) -> Iterator[RepeatedCompositeFieldContainer[KeyValue]]:
    """Yield every attribute list of a resource, its scopes, spans, events and links."""
    yield group.resource.attributes
    for scope_spans in group.scope_spans:
        yield scope_spans.scope.attributes
        for span in scope_spans.spans:
            yield span.attributes
            yield from (event.attributes for event in span.events)
            yield from (link.attributes for link in span.links)


def all_attributes(group: ResourceSpans) -> Iterator[KeyValue]:
    """Return every attribute of a resource, its scopes, spans, events and links."""
    return chain.from_iterable(attribute_lists(group))


def last_of_each_key(attributes: Iterable[KeyValue]) -> dict[str, AnyValue]:
    """Return the values by key, in order; of a repeated key the last one, in its place."""
    last: dict[str, AnyValue] = {}
    for attribute in attributes:
        last.pop(attribute.key, None)
        last[attribute.key] = attribute.value
    return last


def texts_of(attributes: Iterable[KeyValue]) -> dict[str, str]:
    """Return attributes as they are stored."""
    return {key: text_of(value) for key, value in last_of_each_key(attributes).items()}


def attributes_of(
    texts: Mapping[str, str], types: str, raw: Mapping[str, str]
) -> Iterable[KeyValue]:
    """Yield stored attributes in their types; ``raw`` holds nested values in base64."""
    for (key, text), arm in zip(texts.items(), orjson.loads(types or "[]"), strict=True):
        yield KeyValue(key=key, value=_VALUES[arm](text, raw.get(key, "")))


def _array(_: str, raw: str) -> AnyValue:
    value = AnyValue()
    value.array_value.SetInParent()
    value.array_value.MergeFromString(base64.b64decode(raw))
    return value


def _kvlist(_: str, raw: str) -> AnyValue:
    value = AnyValue()
    value.kvlist_value.SetInParent()
    value.kvlist_value.MergeFromString(base64.b64decode(raw))
    return value


_VALUES: Mapping[int, Callable[[str, str], AnyValue]] = {
    UNSET: lambda _text, _raw: AnyValue(),
    STRING: lambda text, _raw: AnyValue(string_value=text),
    BOOL: lambda text, _raw: AnyValue(bool_value=text == "true"),
    INT: lambda text, _raw: AnyValue(int_value=int(text)),
    DOUBLE: lambda text, _raw: AnyValue(double_value=float(text)),
    ARRAY: _array,
    KVLIST: _kvlist,
    BYTES: lambda text, _raw: AnyValue(bytes_value=base64.b64decode(text)),
}
