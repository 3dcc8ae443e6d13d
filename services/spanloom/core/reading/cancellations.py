"""Cancellations: what was stopped from outside, which is neither a failure nor a result.

``CancelledError`` of asyncio and ``KeyboardInterrupt`` in Python, ``AbortError`` in JavaScript,
``context canceled`` in Go. A deadline that is exceeded is a failure. An abandoned stream's
``GeneratorExit`` is none of these: who left may have read all of it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spanloom.core.reading.failures import exceptions, is_left_behind, told_message
from spanloom.core.reading.raised import read_raised

if TYPE_CHECKING:
    from spanloom.core.model.span import Span

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
