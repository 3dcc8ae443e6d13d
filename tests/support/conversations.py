"""Conversations for the page tests: of a few turns, and of many runs."""

from __future__ import annotations

import json
import secrets
import time
from typing import TYPE_CHECKING, Any, NamedTuple

import httpx
from opentelemetry.proto.trace.v1.trace_pb2 import Status
from tests.support.otlp_requests import message_of, wire_span
from tests.support.page_runs import (
    MARKUP,
    MS,
    SETTLED_S,
    TURNED,
    send,
    wait_for,
    wait_for_all,
    wait_for_count,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from opentelemetry.proto.trace.v1.trace_pb2 import Span
    from tests.conftest import RunningSpanloom

BEGUN_NS = 1_763_600_000_000_000_000
MINUTE, DAY = 60_000 * MS, 86_400_000 * MS
TALK = "trip to <i>Bergen</i>"
LONG = "support/4711"
GOODBYE = "Have a good trip, and tell me how it was. " * 10 + "The end."
"""Longer than the answers in lists."""
PIECE = 1_000


class Turn(NamedTuple):
    """The content of one run of a conversation."""

    asked: str
    answered: str
    tools: Sequence[str] = ()
    failed: Sequence[int] = ()
    """Indices of the tools that fail."""
    after: int = 3 * MINUTE
    """Nanoseconds since the previous turn."""
    agent: str = "travel_agent"


TURNS = (
    Turn(
        "Find me a hotel in Bergen for two nights.", "Hotel Norge, 1,450 NOK.", ("search", "price")
    ),
    Turn("Is it dry there tomorrow?", "It rains, as ever.", ("weather", "weather"), (0,)),
    Turn(
        "Then book the train instead.", "I could not: the seats are gone.", ("book",) * 3, (0, 1, 2)
    ),
    Turn(
        "And next week?",
        f"Booked for Tuesday, 07:43.\n\n{GOODBYE}",
        ("seats", "book"),
        after=2 * DAY,
    ),
    Turn(f"Thanks {MARKUP}", f"You are welcome. {MARKUP} {TURNED}", agent=MARKUP + TURNED),
)
"""Turns minutes apart, except the fourth, which is two days later."""


def send_talks(
    service: RunningSpanloom, talks: Mapping[str, Sequence[Turn]]
) -> dict[str, list[str]]:
    """Send conversations by name, wait until all runs are settled; return their ids in order."""
    spans: list[Span] = []
    sent: dict[str, list[str]] = {}
    for name, turns in talks.items():
        now, sent[name] = BEGUN_NS, []
        for turn in turns:
            now += turn.after
            sent[name].append(secrets.token_hex(16))
            spans += turn_spans(sent[name][-1], turn, now, name)
    send(service, message_of(spans, {"service.name": "talk"}))
    wait_for_all(service.api, [trace for traces in sent.values() for trace in traces])
    return sent


def send_long_talk(service: RunningSpanloom, count: int, conversation: str = LONG) -> list[str]:
    """Send a conversation of ``count`` runs of five spans, a quarter of an hour apart."""
    traces = [secrets.token_hex(16) for _ in range(count)]
    spans: list[Span] = []
    for at, trace in enumerate(traces):
        turn = Turn(
            f"Question {at}?", f"Answer {at}.", ("look", "say"), (1,) if at % 50 == 7 else ()
        )
        spans += turn_spans(trace, turn, BEGUN_NS + at * 15 * MINUTE, conversation)
    for at in range(0, len(spans), PIECE):
        send(service, message_of(spans[at : at + PIECE], {"service.name": "talk"}))
    _wait_for_all(service.api, count, conversation)
    return traces


def wait_for_words(api: str, conversation: str, words: str, count: int) -> None:
    """Wait until a full-text search finds that many runs of a conversation."""
    wait_for_count(api, count, f"conversation = {json.dumps(conversation)} and {json.dumps(words)}")


def wait_for_runs(api: str, conversation: str, count: int) -> list[dict[str, Any]]:
    """Wait until that many runs of a conversation are settled; return their list items."""
    until = time.monotonic() + SETTLED_S
    while time.monotonic() < until:
        items: list[dict[str, Any]]
        items = httpx.get(f"{api}/v1/conversations/{conversation}").json().get("items", [])
        if len(items) == count and all(run["status"] == "settled" for run in items):
            return items
        time.sleep(0.2)
    raise AssertionError(f"{conversation} was not settled within {SETTLED_S:g} s")


def send_later_turn(service: RunningSpanloom, conversation: str, at: int) -> str:
    """Send one more turn of a conversation, wait until it is settled; return its id."""
    trace, turn = secrets.token_hex(16), Turn("And now?", "Now, too.")
    begun = BEGUN_NS + at * DAY
    send(
        service, message_of(turn_spans(trace, turn, begun, conversation), {"service.name": "talk"})
    )
    wait_for(service.api, trace)
    return trace


def send_late_step(service: RunningSpanloom, trace: str) -> None:
    """Send a late step, so that the run gets another version."""
    late = wire_span(trace, 90, 1, "notes", BEGUN_NS + 3 * MINUTE, _tool("notes"))
    send(service, message_of([late], {"service.name": "talk"}))
    wait_for(service.api, trace, version=2)


def _wait_for_all(api: str, count: int, conversation: str) -> None:
    """Wait until ``count`` runs of a conversation are settled."""
    wait_for_count(api, count, f"conversation = {json.dumps(conversation)} and status = settled")


def turn_spans(trace: str, turn: Turn, begun: int, conversation: str) -> list[Span]:
    """Return the spans of an agent that calls a model, then its tools one by one, and answers."""
    asked, answered = _said("user", turn.asked), _said("assistant", turn.answered)
    own = {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": turn.agent,
        "gen_ai.conversation.id": conversation,
        **_messages([asked], [answered]),
    }
    steps = [_chat([asked], _said("assistant", "Let me see.")), *map(_tool, turn.tools)]
    steps.append(_chat([asked], answered))
    spans = [wire_span(trace, 1, 0, turn.agent, begun, own)]
    for at, attributes in enumerate(steps):
        name = str(attributes.get("gen_ai.tool.name", "chat"))
        span = wire_span(trace, at + 2, 1, name, begun + (at * 900 + 20) * MS, attributes)
        span.end_time_unix_nano = span.start_time_unix_nano + 800 * MS
        if at - 1 in turn.failed and "gen_ai.tool.name" in attributes:
            span.status.CopyFrom(Status(code=Status.STATUS_CODE_ERROR, message="429 slow down"))
        spans.append(span)
    spans[0].end_time_unix_nano = begun + (len(steps) * 900 + 40) * MS
    return spans


def _said(role: str, text: str) -> dict[str, object]:
    return {"role": role, "parts": [{"type": "text", "content": text}]}


def _messages(given: object, answered: object) -> dict[str, object]:
    return {
        "gen_ai.input.messages": json.dumps(given),
        "gen_ai.output.messages": json.dumps(answered),
    }


def _chat(given: object, answered: object) -> Mapping[str, object]:
    return {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "gpt-4o",
        "gen_ai.usage.input_tokens": 420,
        "gen_ai.usage.output_tokens": 60,
        **_messages(given, [answered]),
    }


def _tool(name: str) -> Mapping[str, object]:
    return {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": name,
        "gen_ai.tool.call.arguments": json.dumps({"place": "Bergen"}),
        "gen_ai.tool.call.result": json.dumps({"found": name}),
    }
