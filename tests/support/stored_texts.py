"""The text under which the decoder stores a value: its rules in Python.

The in-memory store uses it; tests check that the store agrees.
"""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

from spanloom.core.values.doubles import double_text
from spanloom.storage.spans.values import (
    ARRAY,
    BOOL,
    BYTES,
    DOUBLE,
    INT,
    KVLIST,
    STRING,
    UNSET,
    own_text,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue

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


def last_of_each_key(attributes: Iterable[KeyValue]) -> dict[str, AnyValue]:
    """Return the values by key, in order.

    A repeated key has its last value at its first position.
    """
    last: dict[str, AnyValue] = {}
    for attribute in attributes:
        last.pop(attribute.key, None)
        last[attribute.key] = attribute.value
    return last


def texts_of(attributes: Iterable[KeyValue]) -> dict[str, str]:
    """Return attributes as they are stored."""
    return {key: text_of(value) for key, value in last_of_each_key(attributes).items()}


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
