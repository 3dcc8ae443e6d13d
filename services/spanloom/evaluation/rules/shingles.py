"""Finds results that appear in later texts: equal, or with 32 consecutive characters in common.

Time is linear in the texts for each batch of results; too many batches raise ``TooLargeError``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from spanloom.evaluation.contract.errors import TooLargeError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

SHINGLE = 32
"""Number of consecutive common characters that count as a match."""
ENDS = 8_192
"""Maximum characters of a long text that are compared, at its beginning and at its end."""
_BATCH = 1 << 18
"""Maximum shingles of one batch of results, about 200 bytes each."""
_MOST_COMPARED = 1 << 23
"""Maximum characters of texts that are compared in all batches: about a second of CPU time."""
_MOST_SEARCHED = 1 << 29
"""Maximum characters that are searched for all short results."""


class Sought(NamedTuple):
    """A result to find in texts."""

    key: int
    forms: Sequence[str]
    """The forms in which the result may appear in texts."""
    after: int
    """Only texts after this position match."""


def find_reached(sought: Sequence[Sought], texts: Mapping[str, int]) -> set[int]:
    """Return the keys of results found in a text; ``texts`` has the last position of each text.

    Raises ``TooLargeError``.
    """
    found = {one.key for one in sought if any(texts.get(f, -1) > one.after for f in one.forms)}
    found |= _contained([one for one in sought if one.key not in found], texts)
    rest = [one for one in sought if one.key not in found]
    compared = 0
    for batch in _batches(rest):
        compared += sum(map(len, texts))
        if compared > _MOST_COMPARED:
            raise TooLargeError("there are too many texts to look for unused results in")
        found |= _sharing(batch, texts)
    return found


def _contained(sought: Iterable[Sought], texts: Mapping[str, int]) -> set[int]:
    """Return the keys of results with a form shorter than a shingle that is in a text."""
    found = set()
    searched, size = 0, sum(map(len, texts))
    for one in sought:
        for form in one.forms:
            if len(form) < SHINGLE and form.strip():
                searched += size
                if searched > _MOST_SEARCHED:
                    raise TooLargeError("there are too many short results to look for")
                if any(form in text and last > one.after for text, last in texts.items()):
                    found.add(one.key)
    return found


def _batches(sought: Iterable[Sought]) -> Iterator[Mapping[str, list[Sought]]]:
    batch: dict[str, list[Sought]] = {}
    for one in sought:
        for form in one.forms:
            for shingle in _shingles(form):
                batch.setdefault(shingle, []).append(one)
        if len(batch) > _BATCH:
            yield batch
            batch = {}
    if batch:
        yield batch


def _shingles(text: str) -> Iterator[str]:
    ends = (text[:ENDS], text[-ENDS:]) if len(text) > 2 * ENDS else (text,)
    for part in ends:
        for at in range(len(part) - SHINGLE + 1):
            yield part[at : at + SHINGLE]


def _sharing(batch: Mapping[str, Sequence[Sought]], texts: Mapping[str, int]) -> set[int]:
    found: set[int] = set()
    for text, last in texts.items():
        for at in range(len(text) - SHINGLE + 1):
            for one in batch.get(text[at : at + SHINGLE], ()):
                if last > one.after:
                    found.add(one.key)
    return found
