"""Lists of chat messages in the form of OpenAI's API, which trajectory evaluators compare.

A list is the conversation of a run's root agent. Arguments are the JSON text of an object, because
evaluators parse them. A list has no id, so the id of its run is a hash of the messages.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

from spanloom.core.exchange.drafts import MAX_STEPS, complete
from spanloom.core.exchange.ids import note_made, trace_id_of
from spanloom.core.exchange.messages.reading import Source, draft_of_messages, is_message_list
from spanloom.core.exchange.messages.writing import kept_by_messages, talk_of
from spanloom.core.formats.json_bytes import dump, sorted_keys
from spanloom.core.formats.losses import Code
from spanloom.core.formats.readers import Located, a_list, read_alone
from spanloom.core.messages.forms import is_message

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from spanloom.core.exchange.messages.writing import Talk
    from spanloom.core.formats.json_bytes import Json
    from spanloom.core.formats.losses import Losses
    from spanloom.core.formats.readers import Reading, Refused, Taken
    from spanloom.core.formats.stored import Stored


_KEPT = kept_by_messages()


def write(stored: Stored, losses: Losses) -> bytes:
    """Return a run as messages; raises ``NotHeldError`` for a run without an agent."""
    return dump(plain_messages(talk_of(stored, losses, _KEPT), losses))


def plain_messages(talk: Talk, losses: Losses) -> Sequence[Json]:
    """Return the messages of a conversation without reasoning, which the API cannot express."""
    for message, step_id in talk.sourced:
        if message.pop("reasoning_content", None) is not None:
            losses.note(Code.TEXTS_DROPPED, step_id)
    return talk.messages


def read_one(value: Any, reading: Reading) -> Iterable[Json]:
    """Convert a list of messages to a canonical document, and yield it."""
    messages = a_list(value, "the value")
    text = dump(sorted_keys(messages)).decode()
    trace_id = trace_id_of(reading.format, reading.project, text)
    note_made(trace_id, "", "id", reading.losses)
    yield complete(draft_of_messages(messages, reading, Source(trace_id=trace_id, where="")))


class Reader:
    """Reads a list of messages as a run; successive bare messages form one run."""

    def fits(self, value: Any) -> bool:
        """Return whether a value is a list of messages, or a single message."""
        return is_message_list(value) or (_is_bare(value) and is_message(value))

    def holds(self, first: Any) -> bool:  # any JSON value
        """Return whether a list that starts with this item is one run, not a list of runs."""
        return not isinstance(first, list)

    def read(self, values: Iterable[Located], reading: Reading) -> Iterator[Taken | Refused]:
        """Yield a run for each list of messages, or for successive bare messages."""
        for place, value in _gathered(values):
            yield from read_alone(place, value, read_one, reading)


def _gathered(values: Iterable[Located]) -> Iterator[Located]:
    """Yield lists unchanged, and successive single messages as one list."""
    start, messages = "", list[object]()
    for place, value in chain(values, (Located("", None),)):
        if _is_bare(value):
            start = start or place
            if len(messages) <= MAX_STEPS:  # a longer list is refused as a whole
                messages.append(value)
            continue
        if messages:
            yield Located(start, messages)
            start, messages = "", []
        if place:
            yield Located(place, value)


def _is_bare(value: object) -> bool:
    return isinstance(value, dict) and "role" in value


READER = Reader()
