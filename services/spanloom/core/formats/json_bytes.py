"""Deterministic JSON: equal values become equal bytes."""

from __future__ import annotations

from collections.abc import Mapping
from io import BytesIO
from random import Random
from statistics import fmean, median_high
from typing import TYPE_CHECKING, Any, TypeVar

import orjson

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Json = dict[str, Any]  # a JSON object: typed by its schema, not by Python

_INT_MIN, _INT_MAX = -(2**63), 2**64 - 1
_SCALARS = (str, int, float)
_LISTS = (list, tuple)
_MAPPINGS = (dict, Mapping)
T = TypeVar("T")
AT_ONCE = 1_000
"""Number of items in a long list that are encoded at a time, to limit memory."""
SAMPLE = 500
"""Maximum number of items that are measured to estimate the size of a long list."""
MARGIN = 1.05
"""Factor of an estimate, because a buffer that is too small grows by copying."""
MOST_TIMES = 20
"""How many times the median an item may count in an estimate."""
TOO_DEEP = "it is nested too deeply"
_ESCAPED = ('"', "\\", "\n")


class TooDeepError(TypeError):
    """A value is nested too deeply to be written: ``orjson`` parses 1,024 levels, writes 254."""


def dump(value: Any) -> bytes:  # any JSON value
    """Return a value as compact UTF-8 JSON; raises ``TooDeepError``.

    Every other value can be written: a lone surrogate becomes U+FFFD, an integer beyond 64 bits the
    nearest integer that fits, NaN and infinity ``null``.
    """
    try:
        return orjson.dumps(value)
    except TypeError:  # rare: checking first would cost more
        return _dump_changed(_encodable(value))


def _dump_changed(value: Any) -> bytes:  # any JSON value
    try:
        return orjson.dumps(value)
    except TypeError as error:
        raise TooDeepError(TOO_DEEP) from error


def as_text(value: Any) -> str:  # any JSON value
    """Return a string unchanged, ``None`` as an empty text, any other value as JSON text."""
    return value if isinstance(value, str) else "" if value is None else dump(value).decode()


def dump_list(items: Sequence[T], encode: Callable[[T], Any]) -> bytes:
    """Return a JSON list of the items, each converted by ``encode``, as ``dump`` would."""
    if len(items) <= AT_ONCE:
        return dump([encode(item) for item in items])
    file = BytesIO()
    sizes = [len(dump(encode(item))) for item in sample(items)]
    reserve(file, estimate(sizes, len(items)))
    write_list(file, items, encode)
    file.truncate()
    return file.getvalue()


def reserve(file: BytesIO, size: int) -> None:
    """Allocate ``size`` bytes at once: growing chunk by chunk leaves holes of its size in the heap.

    The caller truncates the file after writing.
    """
    file.seek(size)
    file.write(b" ")
    file.seek(0)


def sample(items: Sequence[T]) -> Sequence[T]:
    """Return some items, chosen at random because kinds of items alternate; always the same."""
    return Random(0).sample(items, min(len(items), SAMPLE))  # noqa: S311  # no secret


def estimate(sizes: Sequence[int], number: int) -> int:
    """Estimate the bytes of a list of ``number`` items from the sizes of a sample, with a margin.

    An item far above the median counts less, so that one huge item does not multiply the estimate.
    """
    most = MOST_TIMES * median_high(sizes)
    return int(MARGIN * number * (fmean(min(size, most) for size in sizes) + 1))  # with a comma


def text_bytes(text: str) -> int:
    """Return the bytes that a text takes in JSON, without its quotes and rare escapes."""
    size = len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
    return size + sum(map(text.count, _ESCAPED))


def write_list(file: BytesIO, items: Sequence[T], encode: Callable[[T], Any]) -> None:
    """Write a list in chunks, because all converted items together take several times its size."""
    file.write(b"[")
    for start in range(0, len(items), AT_ONCE):
        piece = dump([encode(item) for item in items[start : start + AT_ONCE]])
        file.write(b"," * bool(start))
        file.write(memoryview(piece)[1:-1])
    file.write(b"]")


def sorted_keys(value: Any) -> Any:  # any JSON value
    """Return the value with the keys of every mapping in it sorted."""
    if isinstance(value, _SCALARS):  # most values; faster than the check for a mapping
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
