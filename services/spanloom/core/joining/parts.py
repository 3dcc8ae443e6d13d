"""The facts of a trace that show which run it may be a part of."""

from __future__ import annotations

import hashlib
import re
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.conventions.agent_logs import (
    BRIDGED,
    CONVERSATION_KEYS,
    EVENT_NAME,
    PROMPT_KEYS,
    count_records,
)
from spanloom.core.conventions.agent_records import What, is_unasked, what_is_named
from spanloom.core.ports.calls import Call, Extent

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from spanloom.core.model.span import Span, TraceKey
    from spanloom.core.model.trajectory import Trajectory

FRAGMENT = ".fragment"
"""Suffix of the rule that classified a root if the root's trace may be only a part of a run."""
WHOLE = ".turn" + FRAGMENT
"""Suffix of the rule that classified a root that is a whole turn, from a prompt to its end."""
_SESSION = "part of "
_DIGEST_BYTES = 16
_OF_TURN = re.compile(r"#\d+$")
_MAX_OTHERS = 8


class Part(NamedTuple):
    """A trace that may be a part of a run, with the data by which the other parts are found."""

    key: TraceKey
    session: str
    """A key made from service and conversation, by which the other parts of a run are found."""
    start_ns: int
    end_ns: int
    prompt_ns: int
    """The time of the person's prompt; 0 if the prompt is in another trace."""
    prompt: int
    """A digest of the prompt's id; 0 if the trace names no prompt."""
    span_count: int
    """The number of the trace's spans plus that of the log records among their events."""
    home: str = ""
    """The stored id of the trace that shows this trace, possibly its own; empty if unknown."""
    others: tuple[str, ...] = ()
    """Keys, in the form of ``session``, of other conversations that the trace's spans name."""
    is_whole: bool = False
    """Whether the trace's root is a whole turn; the prompt may still be in another trace."""

    @property
    def is_shown_elsewhere(self) -> bool:
        """Whether another trace shows this trace as a part of its run."""
        return self.home not in ("", self.key.trace_id)

    def as_call(self) -> Call:
        """Return the part as a row of the call index."""
        return Call(
            key=self.key,
            step_id=self.home,
            call_key=self.session,
            start_ns=self.start_ns,
            end_ns=self.end_ns,
            is_bare=False,
            extent=Extent(self.span_count, int(self.is_whole)),
            answer=self.prompt,
            question=self.prompt_ns,
        )


def part_of(call: Call) -> Part:
    """Return the part that a row of the call index stores."""
    return Part(
        call.key,
        call.call_key,
        call.start_ns,
        call.end_ns,
        prompt_ns=call.question,
        prompt=call.answer,
        span_count=call.extent.model_steps,
        is_whole=bool(call.extent.tool_steps),
        home=call.step_id,
    )


def find_part(key: TraceKey, trajectory: Trajectory, spans: Sequence[Span]) -> Part | None:
    """Return a trace as a part of a run; ``None`` if the trace is a run of its own.

    A part has a root whose rule ends in ``FRAGMENT``, and names a conversation id.
    """
    root_id = trajectory.root.id
    rule = next((v.rule for v in trajectory.verdicts if v.span_id == root_id), "")
    if not rule.endswith(FRAGMENT):
        return None
    ordered = sorted(spans, key=lambda s: (s.span_id != root_id, s.start_ns, s.span_id))
    service = next((s.service_name for s in ordered if s.service_name), "")
    naming = list(_naming(ordered))
    conversations = dict.fromkeys(_named(naming, CONVERSATION_KEYS))
    if not conversations:
        return None
    sessions = [_session(service, name) for name in islice(conversations, _MAX_OTHERS + 1)]
    names = _named(naming, PROMPT_KEYS)
    prompt = next((name for name in names if _is_of_prompt(name, conversations)), "")
    return Part(
        key,
        sessions[0],
        min(map(_began, spans)),
        max(span.end_ns for span in spans),
        min(_prompts(spans), default=0),
        int.from_bytes(_digest(prompt)[:8]) if prompt else 0,
        size_of(spans),
        others=tuple(sessions[1:]),
        is_whole=rule.endswith(WHOLE),
    )


def _began(span: Span) -> int:
    """Return a span's start; for a log record its end (Codex's durations start too early)."""
    return span.end_ns if BRIDGED in span.attributes else span.start_ns


def size_of(spans: Sequence[Span]) -> int:
    """Return the number of spans plus the number of log records among their events.

    It does not change when a log record's own span arrives.
    """
    return len(spans) + count_records(spans)


def _naming(ordered: Sequence[Span]) -> Iterator[Mapping[str, str]]:
    """Yield attributes that may name the conversation: of prompts, then of spans and of events."""
    of_spans = [span.attributes for span in ordered]
    of_events = [event.attributes for span in ordered for event in span.events]
    yield from (a for a in (*of_events, *of_spans) if _is_prompt(a.get(EVENT_NAME, "")))
    yield from of_spans
    yield from of_events


def _prompts(spans: Iterable[Span]) -> Iterator[int]:
    """Yield the times of people's prompts, in ns; prompts may be spans or events."""
    for span in spans:
        if _is_from_person(span.attributes.get(EVENT_NAME, ""), span.attributes):
            yield span.start_ns
        yield from (e.time_ns for e in span.events if _is_from_person(e.name, e.attributes))


def _is_prompt(name: str) -> bool:
    return what_is_named(name) is What.PROMPT


def _is_from_person(name: str, attributes: Mapping[str, str]) -> bool:
    return _is_prompt(name) and not is_unasked(attributes.get("prompt", ""))


def _named(naming: Iterable[Mapping[str, str]], keys: Sequence[str]) -> Iterator[str]:
    return (text for a in naming for key in keys if (text := a.get(key)))


def _is_of_prompt(name: str, conversations: Collection[str]) -> bool:
    """Return whether an id names a prompt, rather than the conversation or a turn.

    A sub-agent's turn: ``a3949598-f1ed#0``; a prompt in a conversation: ``S####1``.
    """
    begins = any(map(name.startswith, conversations))
    return name not in conversations if begins else not _OF_TURN.search(name)


def _session(service: str, conversation: str) -> str:
    return _SESSION + _digest(service, conversation).hex()


def _digest(*texts: str) -> bytes:
    joined = "\0".join(texts).encode(errors="surrogatepass")
    return hashlib.blake2b(joined, digest_size=_DIGEST_BYTES).digest()
