"""The steps of a stored document, read piece by piece.

A document of 100,000 steps has 25 MB, and ten times that as Python objects. Its lists of steps are
cut into pieces at the beginning of a step, which no text of a document can look like: inside JSON
strings quotes are escaped.
"""

from __future__ import annotations

from itertools import chain, pairwise
from typing import TYPE_CHECKING, NamedTuple

import orjson

from spanloom.core.document import DocumentStep
from spanloom.core.messages.new_texts import told_step_of, told_steps

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanloom.core.messages.new_texts import ToldStep

LONG = 1 << 20
"""Bytes from which a document is read in pieces."""
PIECE = 1 << 18
"""Bytes of a piece, about."""
_LIST, _LIST_END, _LISTS_END = b'"steps":[', b']},{"id":"', b']}],"extraction":'
_NEXT_STEP = b',{"id":"'


class _Place(NamedTuple):
    """Where the steps of an agent are in a document, without the brackets around them."""

    start: int
    end: int


def read_steps(document: bytes | bytearray) -> Sequence[ToldStep]:
    """Return the steps of a canonical document, as ``told_steps`` does."""
    if len(document) >= LONG:
        try:
            return list(_steps_by_piece(document))
        except ValueError:  # of another form than this version writes
            pass
    return list(told_steps(orjson.loads(document)))


def _steps_by_piece(document: bytes | bytearray) -> Iterator[ToldStep]:
    places = list(_places(document))
    edges = [0, *chain.from_iterable(places), len(document)]
    without_steps = b"".join(document[a:b] for a, b in list(pairwise(edges))[::2])
    yield from told_steps(orjson.loads(without_steps))
    for place in places:
        for piece in _pieces(document, place):
            for step in orjson.loads(b"[" + piece + b"]"):
                yield told_step_of(DocumentStep(step))


def _places(document: bytes | bytearray) -> Iterator[_Place]:
    """Yield where each list of steps is; raises ``ValueError`` where one has no such end."""
    last = document.rindex(_LISTS_END)
    start = document.find(_LIST, 0, last) + len(_LIST)
    while start >= len(_LIST):
        following = document.find(_LIST, start, last)
        end = document.rindex(_LIST_END, start, following) if following >= 0 else last
        yield _Place(start, end)
        start = following + len(_LIST)


def _pieces(document: bytes | bytearray, place: _Place) -> Iterator[bytes | bytearray]:
    start, end = place
    while start < end:
        following = document.find(_NEXT_STEP, start + PIECE, end)
        stop = following if following >= 0 else end
        yield document[start:stop]
        start = stop + 1
