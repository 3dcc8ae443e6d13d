"""Reads attribute values back from the columns that the decoder writes.

The decoder itself is SQL (``schema/0001_baseline/01_spans.sql``).
"""

from __future__ import annotations

import base64
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
"""Number of our protobuf field (``proto/README.md``).

It has the JSON text of an array or key-value list; in a resource entry, it has the project.
"""
_LENGTH_DELIMITED = 2

UNSET, STRING, BOOL, INT, DOUBLE, ARRAY, KVLIST, BYTES = range(8)


def own_text(message: Message) -> str:
    """Return the text that intake wrote into our field of a message; empty if there is none."""
    unknown = UnknownFieldSet(message)
    fields = (unknown[i] for i in range(len(unknown)))
    texts = [
        bytes(f.data)
        for f in fields
        if f.field_number == OWN_TEXT_FIELD and f.wire_type == _LENGTH_DELIMITED
    ]
    return texts[-1].decode() if texts else ""


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


def attributes_of(
    texts: Mapping[str, str], types: str, raw: Mapping[str, str]
) -> Iterable[KeyValue]:
    """Yield stored attributes in their original types; ``raw`` has nested values in base64."""
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
