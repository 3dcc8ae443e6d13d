"""Searches the texts of a run with the recognisers of redaction, what is repeated once.

Every model call repeats the conversation so far, so that a run is mostly the same messages again:
what is new in each text is searched, all of it at once. Only a run that has a match is searched
text by text, for the places.
"""

from __future__ import annotations

from collections import deque
from time import thread_time
from typing import TYPE_CHECKING, Any

from spanloom.core.messages.new_texts import INPUTS_AT_HAND
from spanloom.core.values.attributes import json_value
from spanloom.evaluation.contract.errors import TooLargeError, TooSlowError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from spanloom.core.recognisers import Recogniser

MAX_TEXT = 1 << 23
"""Characters that are searched in one run."""
MAX_CPU_S = 3.0
"""CPU time of the search in one run: some expressions of a library are slow on hostile texts."""
_BETWEEN = "\n\n"
_JSON = ("{", "[")
_SHORTEST = 3
"""Characters of the shortest match: ``::1``."""
_USUAL_KEY = 12
"""Characters of the keys of messages and calls, which are not searched."""
_SMALL = 10**6
"""Numbers up to this are none of those that are looked for."""


class Search:
    """The search in one run; raises ``TooLargeError`` beyond its bounds."""

    def __init__(self, recognisers: Mapping[str, Recogniser]) -> None:
        """Begin without texts."""
        self._recognisers = recognisers
        self._known: dict[str, Sequence[tuple[str, int, int]]] = {}
        self._left = MAX_TEXT
        self._end_s = thread_time() + MAX_CPU_S

    def finds_any(self, whole: str) -> bool:
        """Return whether any part of the joined texts may match."""
        self._take(whole)
        return any(
            next(iter(find(whole, self._tick)), None) is not None
            for find in self._recognisers.values()
        )

    def matches(self, text: str) -> Sequence[tuple[str, int, int]]:
        """Return kind, start and end of each match in a text, by their start."""
        known = self._known.get(text)
        if known is None:
            self._take(text)
            found = {
                (kind, start, end)
                for kind, find in self._recognisers.items()
                for start, end in find(text, self._tick)
            }
            known = self._known[text] = sorted(found, key=lambda one: (one[1], one[2], one[0]))
        return known

    def _take(self, text: str) -> None:
        self._left -= len(text)
        if self._left < 0:
            raise TooLargeError(f"the run has more than {MAX_TEXT} characters to search")

    def _tick(self) -> None:
        if thread_time() > self._end_s:
            raise TooSlowError(f"searching the run took more than {MAX_CPU_S:g} s of CPU time")


def join_new(texts: Iterable[str]) -> str:
    """Return everything that is said in texts, each part of it once."""
    parts: dict[str, None] = {}
    before: deque[str] = deque(maxlen=INPUTS_AT_HAND)
    for text in dict.fromkeys(texts):
        _add(_new_value(text, before), parts)
    return _BETWEEN.join(parts)


def _new_value(text: str, before: deque[str]) -> Any:  # any JSON value
    """Return what a text adds to the lists before it, of which one may be its exact beginning."""
    if not text.startswith(_JSON):
        return text
    if text.startswith("["):
        known = next(filter(text.startswith, before), "")
        before.append(text[:-1])
        if known:
            rest = text[len(known) + 1 :]  # after a comma, or nothing after the last bracket
            return json_value(f"[{rest}") if rest else []
    return json_value(text)


def _add(value: Any, parts: dict[str, None]) -> None:  # any JSON value
    """Add every text and long number in a value, and every long key."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            if len(item) >= _SHORTEST:
                parts[item] = None
        elif isinstance(item, dict):
            waiting += item.values()
            waiting += [key for key in item if len(key) > _USUAL_KEY]
        elif isinstance(item, list):
            waiting += item
        elif isinstance(item, int) and not isinstance(item, bool) and abs(item) > _SMALL:
            parts[str(item)] = None
