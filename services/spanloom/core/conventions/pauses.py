"""Read pauses, cancellations and approvals: runs that wait for a person or were stopped."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spanloom.core.conventions.failures import error_message, exceptions, is_abandoned_stream
from spanloom.core.conventions.raised import read_raised
from spanloom.core.values.attributes import json_text, json_value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.conventions.failures import ControlFlow
    from spanloom.core.model.span import Span
    from spanloom.core.values.attributes import Json


def find_question(span: Span, control_flow: ControlFlow) -> str | None:
    """Return the question to a person of a span that paused; ``None`` if it did not pause.

    ``GraphInterrupt((Interrupt(value='Wire 500 EUR?', id='e8b4'),))`` → ``Wire 500 EUR?``; empty
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
"""Messages of cancellations without a type: JavaScript's, and the cancel message of LangGraph's
nodes."""
_GO = "context canceled"
"""End of Go's messages: ``rpc error: code = Canceled desc = context canceled``."""
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
