"""Reads the error of a span, and its code; exceptions raised as control flow are no errors."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.conventions.raised import Raised, read_raised
from spanloom.core.model.step import NO_CODE, REPORTED_BY_STATUS, StepError, explained

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from spanloom.core.model.span import Span


_ABANDONED = "GeneratorExit"
"""The exception that Python itself raises in a generator that is not read to its end."""

MAX_CODE_DIGITS = 9
"""A longer number is not an error code, and Python refuses to parse a very long number."""

_RAISED = re.compile(r"(?:[\w.]+\.)?(\w+)(?:\(|: |$)")
"""An exception as a repr, in JavaScript's form (``Name: text``), or only its name."""
STATUS_CODE = re.compile(r"(?:[Ee]rror code|status(?:[_ ]code)?)\W{1,3}([1-5]\d\d)\b")
_LEADING_CODE = re.compile(
    r"(?:HTTP )?([45]\d\d)(?:: | - )|(?:\w*Error: )?([45]\d\d) (?=[A-Z{]|status code)"
)
"""A status code before a message: ``429: slow down``, or ``429 Slow down`` of Google's clients."""
_CODE_KEYS = ("http.response.status_code", "http.status_code", "error.code")
_ERROR_KEYS = ("error.type", "error.message", "error")
_EXCEPTIONS = frozenset({"exception", "gen_ai.client.operation.exception"})
"""Events that report an exception; GenAI defines the second one, usually a log record."""
_LEVEL = "langfuse.observation.level"
_ERRORS = (*_ERROR_KEYS, _LEVEL)
_MESSAGE_KEYS = ("error.message", "error", "langfuse.observation.status_message")
_NOTHING = Raised("", "")
_NO_ERROR = frozenset({"", "false", "null"})


def has_error_attribute(keys: Collection[str]) -> bool:
    """Return whether one of the attributes may report a failure, depending on its value."""
    return any(key in keys for key in _ERRORS)


def find_error(span: Span, control_flow: ControlFlow) -> StepError | None:
    """Return the span's failure; ``None`` if it did not fail, or raised only control flow."""
    raised = list(exceptions(span))
    reported_by = _reported_by(span, raised=bool(raised))
    if not reported_by:
        return None
    best = next((r for r in raised if r.message), raised[0] if raised else _NOTHING)
    names = [r.type for r in raised] or [span.attributes.get("error.type", "")]
    message = best.message or error_message(span)
    if _is_control_flow_text(message, control_flow) or any(
        _is_control_flow(name, control_flow) for name in names
    ):
        return None
    if is_abandoned_stream(span):
        return None
    kind = best.type or next((name for name in names if name), "")
    what = read_raised("" if kind.isdecimal() else kind, message, best.traceback)
    if _is_control_flow(what.type, control_flow):  # its type is in the text only
        return None
    shown = explained(what.message, what.type) or what.type or kind
    return StepError(_code(span, message), shown, what.type, what.traceback, reported_by)


def make_error(message: str, reported_by: str) -> StepError:
    """Return a failure made from an error message alone, for a span that did not fail itself."""
    what = read_raised("", message)
    shown = what.message or what.type
    return StepError(_code_in(message), shown, what.type, what.traceback, reported_by)


def _reported_by(span: Span, *, raised: bool) -> str:
    if raised:
        return "exception"
    if _error_attribute(span):
        return "attribute"
    return REPORTED_BY_STATUS if span.status_code == "Error" else ""


def exceptions(span: Span) -> Iterator[Raised]:
    """Yield type, message and traceback of each exception event."""
    for event in span.events:
        if event.name in _EXCEPTIONS:
            attributes = event.attributes
            yield Raised(
                attributes.get("exception.type", ""),
                attributes.get("exception.message", ""),
                attributes.get("exception.stacktrace", ""),
            )


def has_raised(span: Span) -> bool:
    """Return whether one of the events is an exception."""
    return any(event.name in _EXCEPTIONS for event in span.events)


def _error_attribute(span: Span) -> bool:
    attributes = span.attributes
    if attributes.get(_LEVEL) == "ERROR":
        return True
    return any(key in attributes and attributes[key] not in _NO_ERROR for key in _ERROR_KEYS)


def error_message(span: Span) -> str:
    """Return the error message of the span's status or attributes; empty if there is none."""
    attributes = span.attributes
    return span.status_message or next(
        (v for key in _MESSAGE_KEYS if (v := attributes.get(key, ""))), ""
    )


def _is_control_flow(exception_type: str, control_flow: ControlFlow) -> bool:
    is_abandoned = exception_type.rpartition(".")[2] == _ABANDONED
    return is_abandoned or control_flow.is_raised_by(exception_type)


def is_abandoned_stream(span: Span) -> bool:
    """Return whether a stream was cancelled after its answer had been read.

    If ``asyncio`` cancels it, the span has a ``CancelledError`` and the status ``Ok``.
    """
    if span.status_code != "Ok":
        return False
    types = {raised.type.rpartition(".")[2] for raised in exceptions(span)}
    return types == {"CancelledError"}


def _is_control_flow_text(message: str, control_flow: ControlFlow) -> bool:
    """Return whether the message is control flow, as a text or a repr: ``GeneratorExit()``."""
    if control_flow.matches_text(message):
        return True
    raised = _RAISED.match(message)
    return raised is not None and _is_control_flow(raised[1], control_flow)


def _code(span: Span, message: str) -> int:
    for key in _CODE_KEYS:
        value = span.attributes.get(key, "")
        if value.isdecimal() and len(value) <= MAX_CODE_DIGITS:
            return int(value)
    return _code_in(message)


def _code_in(message: str) -> int:
    match = _LEADING_CODE.match(message) or STATUS_CODE.search(message)
    return int(match[match.lastindex or 0]) if match else NO_CODE


class ControlFlow(NamedTuple):
    """Exceptions that a framework raises as control flow, not as failures."""

    types: Collection[str] = ()
    """Names of exception types without package: ``GraphInterrupt`` of ``langgraph.errors``."""
    texts: Collection[re.Pattern[str]] = ()
    """Patterns to search in the message if the type was not sent: ``interrupt signal: ID=``."""
    pauses: Collection[str] = ()
    """The types that pause a run until a person answers."""
    questions: Sequence[Callable[[str], str]] = ()
    """Functions that return the question to a person in a pause's message, or an empty text."""

    def is_raised_by(self, exception_type: str) -> bool:
        """Return whether the type, with or without package, is one of ``types``."""
        return exception_type.rpartition(".")[2] in self.types

    def matches_text(self, message: str) -> bool:
        """Return whether the message matches one of ``texts``."""
        return any(text.search(message) for text in self.texts)

    def read_question(self, message: str) -> str:
        """Return the question to a person; empty if the message has none."""
        return next((question for read in self.questions if (question := read(message))), "")


def join_control_flow(declared: Iterable[ControlFlow]) -> ControlFlow:
    """Return one ``ControlFlow`` that combines all of ``declared``."""
    every = list(declared)
    return ControlFlow(
        frozenset(name for one in every for name in one.types),
        frozenset(text for one in every for text in one.texts),
        frozenset(name for one in every for name in one.pauses),
        tuple(dict.fromkeys(read for one in every for read in one.questions)),
    )
