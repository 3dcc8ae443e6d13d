"""Reads model calls from events, pairing each request event with the event of the call's end.

A request event with token counts or a failure status reports a whole model call (Claude Code). Any
other model call ends with the next response or failure event that has the same session, prompt,
agent and source. A call without an end was cancelled, or still runs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from spanloom.core.conventions import agent_events as keys
from spanloom.core.conventions.agent_events import read_events
from spanloom.core.conventions.agent_logs import ERROR
from spanloom.core.conventions.agent_records import What
from spanloom.core.model.step import NO_CODE, StepError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from spanloom.core.conventions.agent_events import Event
    from spanloom.core.model.step import Usage
    from spanloom.core.model.tree import SpanTree

FAILED = 400
"""The lowest HTTP status of a failed model call."""
_MAX_MESSAGE = 2000
SOURCES = ("query_source", "query_source_safe")
"""Attributes that name the component of Claude Code which called the model."""
_ASIDE = re.compile(
    r"title|summary|suggestion|classif|memor|namer|_name$|compact|^hook_|cache_warm|^auto_|validat"
    r"|_parse$|feedback|insights|^web_|side_question|comment|_texts$|comparison|^plugin_"
)
"""Matches components whose calls are outside the agent's conversation: title, summary, hooks."""


@dataclass(slots=True)
class Call:
    """One model call."""

    request: Event | None = None
    end: Event | None = None
    answer: str = ""
    sent: str = ""
    received: str = ""
    others: list[Event] = field(default_factory=list)
    """Further events of the call."""

    @property
    def main(self) -> Event:
        """The event with the most facts of the call: its end, or the request if there is no end.

        For Codex it is the request, because the event that ends its stream has only token counts.
        """
        if self.end is None or (self.request is not None and _is_of_stream(self.end)):
            return self.request or self.others[0]
        return self.end

    @property
    def events(self) -> Sequence[Event]:
        """All events of the call."""
        return [e for e in (self.request, self.end, *self.others) if e is not None]

    @property
    def has_ended(self) -> bool:
        """Whether the call has ended."""
        return self.end is not None or (self.request is not None and is_whole(self.request))

    @property
    def usage(self) -> Usage | None:
        """The token counts of the call; ``None`` if not reported."""
        return next((u for e in self.events if (u := e.usage) is not None), None)

    def get(self, names: Sequence[str]) -> str:
        """Return the first value under the keys ``names`` of the end event, or of the request."""
        return next((v for e in (self.end, self.request) if e and (v := e.get(names))), "")


def is_aside(source: str) -> bool:
    """Return whether a component's model calls are outside its agent's conversation."""
    return _ASIDE.search(source) is not None


def _is_of_stream(event: Event) -> bool:
    return event.name.endswith("sse_event")


def is_whole(request: Event) -> bool:
    """Return whether a request event reports a complete call: it has tokens, or a failure."""
    return request.usage is not None or is_failure(request)


def is_failure(event: Event) -> bool:
    """Return whether an event reports that a model call failed."""
    return event.what is What.FAILURE or event.status >= FAILED or bool(event.get((ERROR,)))


def read_calls(tree: SpanTree) -> Sequence[Call]:
    """Return the model calls that the events of a trace report, in order."""
    return pair_calls(read_events(tree))


def pair_calls(events: Iterable[Event]) -> Sequence[Call]:
    """Return the model calls that these events report; events must be sorted by time."""
    pairing = _Pairing()
    for event in events:
        pairing.add(event)
    return pairing.calls


MAX_WAITING = 64
"""The maximum number of open calls, or of unpaired request bodies, to compare an event with."""


class _Pairing:
    """Pairs requests with their ends; events are added in order of time."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self._open: list[Call] = []
        self._by_request: dict[str, Call] = {}
        self._sent: list[Event] = []

    def add(self, event: Event) -> None:
        """Add the next event."""
        if event.what is What.REQUEST:
            self._keep(Call(event, sent=_take(self._sent, event)))
        elif event.what in (What.RESPONSE, What.FAILURE):
            self._end(event)
        elif event.what is What.SENT:
            self._sent = [*self._sent[-MAX_WAITING:], event]
        elif event.what in (What.ANSWER, What.RECEIVED):
            self._say(event)

    def _keep(self, call: Call) -> None:
        self.calls.append(call)
        if request_id := call.main.get(keys.REQUEST_IDS):
            self._by_request[request_id] = call
        if not call.has_ended:
            self._open = [*self._open[-MAX_WAITING:], call]

    def _end(self, event: Event) -> None:
        if (call := self._by_request.get(event.get(keys.REQUEST_IDS))) is not None:
            call.others.append(event)
            return
        own = (c for c in self._open if c.request is not None and is_of_one(c.request, event))
        if (waiting := next(own, None)) is None:
            self._keep(Call(end=event))
            return
        self._open.remove(waiting)
        waiting.end = event
        if request_id := event.get(keys.REQUEST_IDS):
            self._by_request[request_id] = waiting

    def _say(self, event: Event) -> None:
        request_id = event.get(keys.REQUEST_IDS)
        latest = [] if request_id else self.calls[-MAX_WAITING:]
        call = self._by_request.get(request_id) or next(
            (c for c in reversed(latest) if is_of_one(c.main, event)), None
        )
        if call is None:
            return
        if event.what is What.ANSWER:
            call.answer = event.text(keys.RECEIVED)
        else:
            call.received = event.get(keys.BODY)
        call.others.append(event)


def _take(sent: list[Event], request: Event) -> str:
    """Remove the first body in ``sent`` that may belong to a request, and return its text."""
    own = next((e for e in sent if is_of_one(e, request)), None)
    if own is None:
        return ""
    sent.remove(own)
    return own.get(keys.BODY)


_THREAD = (keys.SESSIONS, keys.PROMPT_IDS, keys.AGENTS, SOURCES)


def is_of_one(ours: Event, theirs: Event) -> bool:
    """Return whether two events may belong to one model call: values that both report are equal."""
    pairs = ((ours.get(names), theirs.get(names)) for names in _THREAD)
    return all(a == b or not a or not b for a, b in pairs)


def error_of(event: Event) -> StepError:
    """Return the failure of a model call that an event reports."""
    status = event.status
    message = event.get(keys.MESSAGES)[:_MAX_MESSAGE]
    kind = event.get(keys.TYPES)
    shown = message or kind or (f"status {status}" if status else "the call failed")
    return StepError(status or NO_CODE, shown, kind, "", "attribute")
