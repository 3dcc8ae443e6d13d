"""Reads the steps of a stored document in chunks.

A document of 100,000 steps has 25 MB, but takes 250 MB of memory as Python objects. Therefore its
lists of steps are split between steps and parsed chunk by chunk. A text in the document cannot be
mistaken for the start of a step, because quotes inside JSON strings are escaped.
"""

from __future__ import annotations

from itertools import chain, pairwise
from typing import TYPE_CHECKING, NamedTuple

import orjson

from spanloom.core.document import DocumentStep
from spanloom.core.messages.new_texts import read_document_step, read_document_texts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanloom.core.messages.new_texts import StepTexts

LONG = 1 << 20
"""Minimum size in bytes of a document that is read in chunks."""
PIECE = 1 << 18
"""Approximate size of a chunk, in bytes."""
_LIST, _LIST_END, _LISTS_END = b'"steps":[', b']},{"id":"', b']}],"extraction":'
_NEXT_STEP = b',{"id":"'


class _Place(NamedTuple):
    """The byte range of an agent's steps in a document, without the enclosing brackets."""

    start: int
    end: int


def read_steps(document: bytes | bytearray) -> Sequence[StepTexts]:
    """Return the texts of a canonical document's steps, as ``read_document_texts`` does."""
    if len(document) >= LONG:
        try:
            return list(_steps_by_piece(document))
        except ValueError:  # not in the format that this version writes
            pass
    return list(read_document_texts(orjson.loads(document)))


def _steps_by_piece(document: bytes | bytearray) -> Iterator[StepTexts]:
    places = list(_places(document))
    edges = [0, *chain.from_iterable(places), len(document)]
    without_steps = b"".join(document[a:b] for a, b in list(pairwise(edges))[::2])
    yield from read_document_texts(orjson.loads(without_steps))
    for place in places:
        for piece in _pieces(document, place):
            for step in orjson.loads(b"[" + piece + b"]"):
                yield read_document_step(DocumentStep(step))


def _places(document: bytes | bytearray) -> Iterator[_Place]:
    """Yield the byte range of each list of steps; raise ``ValueError`` if a list has no end."""
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
