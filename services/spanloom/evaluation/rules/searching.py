"""Searches the texts of a run with the recognisers of redaction; repeated texts only once.

Every model call repeats the conversation so far, so most messages of a run are repeated. Therefore
only the new parts of the texts are searched, joined to one text. If there is a match, each text is
searched to find the positions of matches.
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
"""Maximum characters that are searched in one run."""
MAX_CPU_S = 3.0
"""Maximum CPU seconds of the search in one run: some recognisers are slow on hostile texts."""
_BETWEEN = "\n\n"
_JSON = ("{", "[")
_SHORTEST = 3
"""Minimum characters of a match: ``::1``."""
_USUAL_KEY = 12
"""Maximum characters of JSON keys that are not searched; keys of messages and calls are short."""
_SMALL = 10**6
"""Numbers up to this value are too short to match."""


class Search:
    """The search in one run; raises ``TooLargeError`` beyond its limits."""

    def __init__(self, recognisers: Mapping[str, Recogniser]) -> None:
        """Start without texts."""
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
        """Return the kind, start and end of each match in a text, ordered by start."""
        matches_of = self._known.get(text)
        if matches_of is None:
            self._take(text)
            found = {
                (kind, start, end)
                for kind, find in self._recognisers.items()
                for start, end in find(text, self._tick)
            }
            matches_of = self._known[text] = sorted(found, key=lambda one: (one[1], one[2], one[0]))
        return matches_of

    def _take(self, text: str) -> None:
        self._left -= len(text)
        if self._left < 0:
            raise TooLargeError(f"the run has more than {MAX_TEXT} characters to search")

    def _tick(self) -> None:
        if thread_time() > self._end_s:
            raise TooSlowError(f"searching the run took more than {MAX_CPU_S:g} s of CPU time")


def join_new(texts: Iterable[str]) -> str:
    """Return all parts of texts joined, each distinct part once."""
    parts: dict[str, None] = {}
    earlier: deque[str] = deque(maxlen=INPUTS_AT_HAND)
    for text in dict.fromkeys(texts):
        _add(_new_value(text, earlier), parts)
    return _BETWEEN.join(parts)


def _new_value(text: str, earlier: deque[str]) -> Any:  # any JSON value
    """Return the new part of a text if an earlier list is its prefix, otherwise all of it."""
    if not text.startswith(_JSON):
        return text
    if text.startswith("["):
        matches_of = next(filter(text.startswith, earlier), "")
        earlier.append(text[:-1])
        if matches_of:
            rest = text[len(matches_of) + 1 :]  # after a comma, or nothing after the last bracket
            return json_value(f"[{rest}") if rest else []
    return json_value(text)


def _add(value: Any, parts: dict[str, None]) -> None:  # any JSON value
    """Add the texts, large numbers and long keys of a value."""
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
