"""Limits the memory for parsed JSON, for caches, and for texts of mostly control characters."""

from __future__ import annotations

import re
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock
from typing import TYPE_CHECKING, Generic, TypeVar

import orjson

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from spanloom.core.model.span import Span

FREE_BYTES = 4_096
"""Texts up to this size are always parsed, because they need little memory."""
MIN_BYTES_PER_ITEM = 6
"""Minimum bytes per item of a text that is parsed. Log probabilities, the densest output of models,
have 8."""

_ITEMS = (",", "[", "{", "{", "(")
"""Characters that begin an item; an object counts twice because it needs twice the memory."""
_STRING = re.compile(r'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
"""A JSON string; an unclosed one extends to the end of the text, so that the search is linear."""
_unread: ContextVar[set[int] | None] = ContextVar("unread", default=None)


def may_read(text: str) -> bool:
    """Return whether a JSON text has few enough items to be parsed; if not, record it as unread."""
    if len(text) <= FREE_BYTES or is_sparse(_count_items(text), len(text)):
        return True
    # Commas inside strings are not items; excluding them costs more and is rarely needed.
    if is_sparse(_count_items(_STRING.sub('""', text)), len(text)):
        return True
    note_unread(text)
    return False


def is_sparse(items: int, size: int) -> bool:
    """Return whether ``items`` in ``size`` bytes are few enough to be built in memory."""
    return size <= FREE_BYTES or items * MIN_BYTES_PER_ITEM <= size


def note_unread(text: str) -> None:
    """Record that the trajectory under construction shows this text unparsed."""
    unread = _unread.get()
    if unread is not None:
        unread.add(hash(text))


def _count_items(text: str) -> int:
    return sum(map(text.count, _ITEMS))


@contextmanager
def watch_unread() -> Iterator[set[int]]:
    """Yield a set that, within the block, collects the hashes of texts that were not parsed.

    These are texts with too many JSON items for their size.
    """
    unread: set[int] = set()
    token = _unread.set(unread)
    try:
        yield unread
    finally:
        _unread.reset(token)


K = TypeVar("K")
V = TypeVar("V")

_LARGEST_SHARE = 64
"""An entry larger than ``max_bytes`` divided by this is not cached: it would evict too many
others."""


class ByteCache(Generic[K, V]):
    """A thread-safe cache of at most ``max_bytes``; evicts the oldest entries first.

    Several entries are read for each span, so reading is a single look-up in a dictionary. A
    library's cache, written in Python, takes three times as long.
    """

    def __init__(self, max_bytes: int) -> None:
        """Create an empty cache."""
        self._entries: dict[K, tuple[V, int]] = {}
        self._max_bytes = self._free = max_bytes
        self._lock = Lock()

    def get(self, key: K) -> V | None:
        """Return the cached value, or ``None``."""
        entry = self._entries.get(key)
        return None if entry is None else entry[0]

    def keep(self, key: K, value: V, size: int) -> V:
        """Cache the value, which takes about ``size`` bytes with its key, and return it."""
        if size * _LARGEST_SHARE > self._max_bytes:
            return value
        with self._lock:
            self._drop(key)
            while self._free < size and self._entries:
                self._drop(next(iter(self._entries)))
            self._entries[key] = value, size
            self._free -= size
        return value

    def _drop(self, key: K) -> None:
        _, size = self._entries.pop(key, (None, 0))
        self._free += size


MAX_GROWTH = 2
"""Maximum factor by which JSON may lengthen a text; a text of only quotes doubles."""
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f]+")
"""Control characters without a short escape in JSON."""


def legible(span: Span) -> tuple[Span, int]:
    """Remove control characters from values full of them; return also the number of such values."""
    attributes, count = _cleaned(span.attributes)
    if not span.events:
        return (span._replace(attributes=attributes), count) if count else (span, 0)
    cleaned = [_cleaned(event.attributes) for event in span.events]
    count += sum(n for _, n in cleaned)
    if not count:
        return span, 0
    events = [e._replace(attributes=a) for e, (a, _) in zip(span.events, cleaned, strict=True)]
    return span._replace(attributes=attributes, events=events), count


def _cleaned(attributes: Mapping[str, str]) -> tuple[Mapping[str, str], int]:
    if max(map(len, attributes.values()), default=0) <= FREE_BYTES:
        return attributes, 0
    noise = {
        key: _CONTROLS.sub("", text)
        for key, text in attributes.items()
        if len(text) > FREE_BYTES and _is_noise(text)
    }
    return ({**attributes, **noise}, len(noise)) if noise else (attributes, 0)


def _is_noise(text: str) -> bool:
    """Return whether JSON lengthens the text beyond the limit; serializing is the fastest test."""
    try:
        written = len(orjson.dumps(text)) - 2
    except TypeError:  # a lone surrogate: the text cannot be serialized at all
        return False
    return written > MAX_GROWTH * len(text) and written > MAX_GROWTH * len(text.encode())
