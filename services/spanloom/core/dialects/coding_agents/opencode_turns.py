"""Reads turns of opencode, each a span ``ai.streamText``: their run, request and answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.model.step import NO_CODE, StepError
from spanloom.core.values.attributes import json_field

if TYPE_CHECKING:
    from collections.abc import Iterator
    from collections.abc import Set as AbstractSet

    from spanloom.core.model.span import Span
    from spanloom.core.model.tree import SpanTree

RUN, TITLE, CALL = "SessionPrompt.prompt", "SessionPrompt.ensureTitle", "LLM.run"
STREAM = "ai.streamText"


def has_turns(tree: SpanTree) -> bool:
    """Return whether the trace has spans of the AI SDK, which report the turns."""
    return any(span.name == STREAM for span in tree.spans)


def _around_turns(tree: SpanTree) -> AbstractSet[str]:
    """Return the ids of all spans that have a turn below them."""
    found: set[str] = set()
    for span in tree.spans:
        if span.name == STREAM:
            found.add(span.parent_span_id)
            for above in tree.ancestors(span):
                if above.span_id in found and above.span_id != span.parent_span_id:
                    break
                found.add(above.span_id)
    return found


def last_call(tree: SpanTree) -> str:
    """Return the span id of the last ``LLM.run`` of a trace; empty if there is none."""
    return next((s.span_id for s in reversed(tree.spans) if s.name == CALL), "")


def lost_calls(tree: SpanTree) -> AbstractSet[str]:
    """Return the ids of the ``LLM.run`` spans that have no ``ai.streamText`` below."""
    turns = tree.remember(_around_turns)
    return {s.span_id for s in tree.spans if s.name == CALL and s.span_id not in turns}


def own_calls(run: Span, tree: SpanTree) -> Iterator[Span]:
    """Yield the turns of a run in order, without the turns of runs inside it."""
    found: list[Span] = []
    waiting = [*tree.children(run)]
    while waiting:
        span = waiting.pop()
        if span.name == STREAM:
            found.append(span)
        elif span.name not in (RUN, TITLE):
            waiting += tree.children(span)
    yield from sorted(found, key=lambda s: (s.start_ns, s.span_id))


def turns_of_title(tree: SpanTree) -> list[Span]:
    """Return the turns that made the title; they are used if the run's own turns were lost."""
    title = next((span for span in tree.spans if span.name == TITLE), None)
    return list(own_calls(title, tree)) if title is not None else []


def request_in(turns: list[Span]) -> str:
    """Return the text of the last user message in the first turn's request."""
    if not turns:
        return ""
    messages = json_field(turns[0].attributes.get("ai.prompt", ""), "messages")
    users = (
        [m for m in messages if isinstance(m, dict) and m.get("role") == "user"]
        if isinstance(messages, list)
        else []
    )
    return _text_of(users[-1].get("content")) if users else ""


def _text_of(content: object) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = [part.get("text") for part in parts if isinstance(part, dict)]
    return "\n".join(text for text in texts if isinstance(text, str))


def answered_in(turns: list[Span]) -> str:
    """Return the text of the last turn; empty if it called tools, because the answer is missing."""
    if not turns or turns[-1].attributes.get("ai.response.toolCalls", "[]") != "[]":
        return ""
    return turns[-1].attributes.get("ai.response.text", "")


def failure_of(turns: list[Span]) -> StepError | None:
    """Return the last turn's failure, or ``None``; the program itself ends without an error."""
    if not turns or turns[-1].status_code != "Error":
        return None
    return StepError(NO_CODE, turns[-1].status_message or "the last call failed", "", "", "span")
