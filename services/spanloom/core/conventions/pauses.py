"""Pauses, cancellations and approvals: runs that wait for a person or were stopped."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spanloom.core.conventions.failures import exceptions, is_left_behind, told_message
from spanloom.core.conventions.raised import read_raised
from spanloom.core.values.attributes import json_text, json_value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.conventions.failures import ControlFlow
    from spanloom.core.model.span import Span
    from spanloom.core.values.attributes import Json


def find_question(span: Span, control_flow: ControlFlow) -> str | None:
    """Return what a person was asked by a span that paused; ``None`` if it did not pause.

    ``GraphInterrupt((Interrupt(value='Wire 500 EUR?', id='e8b4'),))`` → ``Wire 500 EUR?``; empty
    where only the pause is told.
    """
    told = [(r.type, r.message) for r in exceptions(span)]
    told.append((span.attributes.get("error.type", ""), told_message(span)))
    for kind, text in told:
        what = read_raised(kind, text)
        asked = control_flow.read_question(what.message)
        if asked or what.type in control_flow.pauses:
            return asked
    return None


_TYPES = frozenset({"CancelledError", "KeyboardInterrupt", "AbortError", "APIUserAbortError"})
_WORDS = re.compile(
    r"Abort(?:ed)?|(?:This operation|The operation|Request) was aborted\.?"
    r"|The user aborted a request\.?|<object object at 0x[0-9a-f]+>"
)
"""Where the type is lost: what JavaScript says, and all that LangGraph tells the nodes of a run
that it gives up."""
_GO = "context canceled"
"""Behind what was being done: ``rpc error: code = Canceled desc = context canceled``."""
_GO_TYPES = ("*", "context.")


def is_cancelled(span: Span) -> bool:
    """Return whether all that the span tells to have gone wrong is that it was stopped."""
    if is_left_behind(span):
        return False
    told = [(raised.type, raised.message) for raised in exceptions(span)]
    if not told:
        told = [(span.attributes.get("error.type", ""), told_message(span))]
    return all(_is_one(kind, text) for kind, text in told)


def _is_one(kind: str, text: str) -> bool:
    what = read_raised(kind, text)
    if what.type in _TYPES:
        return True
    if _GO in text:
        return not kind or kind.startswith(_GO_TYPES)
    return what.type in ("", "Error") and _WORDS.fullmatch(what.message) is not None


def ask_to_run(tool: Json, arguments: Json) -> dict[str, Json]:
    """Return the question whether a tool may run."""
    given = json_value(arguments) if isinstance(arguments, str) else arguments
    return {"tool": tool, "arguments": given}


def as_question(asked: Sequence[dict[str, Json]]) -> str:
    """Return one question as it is, several as a list."""
    return json_text(asked[0] if len(asked) == 1 else list(asked)) if asked else ""
