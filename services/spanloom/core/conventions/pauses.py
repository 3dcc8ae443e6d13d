"""Reads pauses, cancellations and approvals: runs that wait for a person or were stopped."""

from __future__ import annotations

import re
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.conventions.failures import error_message, exceptions, is_abandoned_stream
from spanloom.core.conventions.raised import read_raised
from spanloom.core.model.span import Classification, Facts
from spanloom.core.values.attributes import json_text, json_value

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spanloom.core.conventions.failures import ControlFlow
    from spanloom.core.conventions.view import TraceView
    from spanloom.core.model.span import Span
    from spanloom.core.values.attributes import Json


def find_question(span: Span, control_flow: ControlFlow) -> str | None:
    """Return a paused span's question to a person; ``None`` if it did not pause.

    ``GraphInterrupt((Interrupt(value='Wire 500 EUR?', id='e8b4'),))`` → ``Wire 500 EUR?``. Empty
    if the span reports only the pause.
    """
    errors = [(r.type, r.message) for r in exceptions(span)]
    errors.append((span.attributes.get("error.type", ""), error_message(span)))
    for kind, text in errors:
        what = read_raised(kind, text)
        question = control_flow.read_question(what.message)
        if question or what.type in control_flow.pauses:
            return question
    return None


_TYPES = frozenset({"CancelledError", "KeyboardInterrupt", "AbortError", "APIUserAbortError"})
_WORDS = re.compile(
    r"Abort(?:ed)?|(?:This operation|The operation|Request) was aborted\.?"
    r"|The user aborted a request\.?|<object object at 0x[0-9a-f]+>"
)
"""Messages of cancellations without a type: from JavaScript, and from cancelled LangGraph nodes."""
_GO = "context canceled"
"""End of Go's cancellation messages: ``rpc error: code = Canceled desc = context canceled``."""
_GO_TYPES = ("*", "context.")


def is_cancelled(span: Span) -> bool:
    """Return whether every error that the span reports is a cancellation."""
    if is_abandoned_stream(span):
        return False
    errors = [(raised.type, raised.message) for raised in exceptions(span)]
    if not errors:
        errors = [(span.attributes.get("error.type", ""), error_message(span))]
    return all(_is_cancellation(kind, text) for kind, text in errors)


def _is_cancellation(kind: str, text: str) -> bool:
    what = read_raised(kind, text)
    if what.type in _TYPES:
        return True
    if _GO in text:
        return not kind or kind.startswith(_GO_TYPES)
    return what.type in ("", "Error") and _WORDS.fullmatch(what.message) is not None


def ask_to_run(tool: Json, arguments: Json) -> dict[str, Json]:
    """Return the question whether a tool may run with these arguments."""
    parsed = json_value(arguments) if isinstance(arguments, str) else arguments
    return {"tool": tool, "arguments": parsed}


def as_question(questions: Sequence[dict[str, Json]]) -> str:
    """Return one question as a JSON object, several as a JSON list; empty for none."""
    if not questions:
        return ""
    return json_text(questions[0] if len(questions) == 1 else list(questions))


# Approvals in OpenAI's Agents SDK, read from the spans of any instrumentation.

_REFUSED = "Tool execution was not approved."
"""Default message of OpenAI's Agents SDK to the model when a person rejects a call."""


class ToolRun(NamedTuple):
    """A tool run as an instrumentation reports it."""

    name: str
    arguments: str
    """The arguments; empty if content capture is off: whether there is a result is then unknown."""
    has_result: bool


class SpanReader(NamedTuple):
    """Functions that read an instrumentation's spans."""

    is_agent: Callable[[Span], bool]
    read_tool: Callable[[Span], ToolRun | None]
    """Returns the tool run that a span reports; ``None`` for a span that is no tool."""
    read_request: Callable[[Span], str]
    """Returns the input of a model call; empty for other spans."""

    def last_turn_ns(self, spans: Sequence[Span]) -> int:
        """Return the start of the last non-tool span in ns; 0 if there is none."""
        return max((s.start_ns for s in spans if self.read_tool(s) is None), default=0)

    def read_approved(self, children: Sequence[Span]) -> str:
        """Return the tool runs before the first other child, as JSON of approved tool calls."""
        ran = list(takewhile(lambda tool: tool is not None, map(self.read_tool, children)))
        tools = [tool for tool in ran if tool is not None] if len(ran) < len(children) else []
        return as_question([{**ask_to_run(t.name, t.arguments), "approved": True} for t in tools])


def with_question(
    tool: Classification, span: Span, view: TraceView, reader: SpanReader
) -> Classification:
    """Return the tool's classification, with a question if the run waits for an approval."""
    ran = reader.read_tool(span)
    if ran is None or ran.has_result or not ran.arguments or span.status_code == "Error":
        return tool
    if not _is_left_waiting(span, view, reader):
        return tool
    return tool._replace(question=as_question([ask_to_run(ran.name, ran.arguments)]))


def _is_left_waiting(tool: Span, view: TraceView, reader: SpanReader) -> bool:
    """Return whether the agent stopped at this tool without a failure.

    A tool's span ends before its agent's span. The span of a cancelled tool ends with the agent's
    span or later.
    """
    turn = view.tree.parent(tool)
    agent = turn if turn is None or reader.is_agent(turn) else view.tree.parent(turn)
    if turn is None or agent is None or not reader.is_agent(agent) or agent.status_code == "Error":
        return False
    latest = max(view.remember_children(reader.last_turn_ns, span) for span in (turn, agent))
    return tool.end_ns < agent.end_ns and latest < tool.end_ns


def with_answer(
    agent: Classification, span: Span, view: TraceView, reader: SpanReader
) -> Classification:
    """Return the agent's classification, marked as resuming if it has a person's answer."""
    if approved := view.remember_children(reader.read_approved, span):
        return agent._replace(facts=Facts(input=approved, is_resuming=True))
    first_child = view.tree.children(span)[:1]
    inner = [s for child in first_child for s in (child, *view.tree.children(child))]
    request = next((text for s in inner if (text := reader.read_request(s))), "")
    return agent._replace(facts=Facts(is_resuming=True)) if _REFUSED in request else agent
