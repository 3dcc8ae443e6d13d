"""JSON text in one form only: what equal values need to become equal bytes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

Json = dict[str, Any]  # an object as json gives and takes it: typed by its schema, not by Python

_INT_MIN, _INT_MAX = -(2**63), 2**64 - 1
_SCALARS = (str, int, float)
_LISTS = (list, tuple)
_MAPPINGS = (dict, Mapping)


def dump(value: Any) -> bytes:  # any JSON value
    """Write a value as compact UTF-8.

    Nothing is too odd to be written: half a surrogate pair becomes U+FFFD, an integer beyond
    64 bits the nearest that fits, a number that is none ``null``.
    """
    try:
        return orjson.dumps(value)
    except TypeError:  # so rare that looking for it first would be a waste
        return orjson.dumps(_encodable(value))


def sorted_keys(value: Any) -> Any:  # any JSON value
    """Return the value with the keys of every mapping in it in order."""
    if isinstance(value, _SCALARS):  # most values, and quicker told than a mapping
        return value
    if isinstance(value, _MAPPINGS):
        return {key: sorted_keys(value[key]) for key in sorted(value)}
    if isinstance(value, _LISTS):
        return [sorted_keys(item) for item in value]
    return value


def _encodable(value: Any) -> Any:  # any JSON value
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, int) and not isinstance(value, bool):
        return min(max(value, _INT_MIN), _INT_MAX)
    if isinstance(value, dict):
        return {_encodable(key): _encodable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_encodable(item) for item in value]
    return value
