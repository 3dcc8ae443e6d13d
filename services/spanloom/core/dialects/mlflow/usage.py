"""Reads token details that MLflow leaves out, from the response that the client received.

MLflow counts input, output and cached tokens; the GenAI mode omits even the cached tokens. The
span's output, an attribute ``usage`` or the chunks of a stream contain the provider's own usage,
in the format of OpenAI, Anthropic or PydanticAI.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from spanloom.core.conventions.usage import read_payload
from spanloom.core.dialects.mlflow.names import COUNTS, OUTPUTS, SPAN_TYPE
from spanloom.core.model.step import Usage
from spanloom.core.values.attributes import Json, json_object

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanloom.core.conventions.view import TraceView
    from spanloom.core.model.span import Span

CHUNK = "mlflow.chunk.item."
"""Prefix of the names of events that are the chunks of a stream, in order."""
_CHAT_MODEL = "CHAT_MODEL"
_USAGE = '"usage"'
_LEVELS = 8
"""How many ancestors of a model call are searched for its run: predictors, a loop, modules."""
_MAX_INSIDE = 64
_LAST_CHUNKS = 4
"""How many chunks at the end of a stream are searched for usage."""


def read_client_details(span: Span, counted: Usage) -> Usage:
    """Return a response's usage if ``counted`` is 0 or has equal tokens, otherwise zeros."""
    for payload in _usages(span):
        usage = read_payload(payload)
        if usage[:2] == counted[:2] or not any(counted[:2]):
            return usage
    return Usage()


def read_run_usage(call: Span, view: TraceView) -> Usage | None:
    """Return the usage of the nearest enclosing run, if ``call`` is its only model call.

    DSPy's calls have no counts; only the outermost module has a sum.
    """
    run = view.tree.parent(call)
    for _ in range(_LEVELS):
        if run is None or COUNTS in run.attributes:
            break
        run = view.tree.parent(run)
    if run is None or COUNTS not in run.attributes or not _is_only_call(call, run, view):
        return None
    return read_payload(json_object(run.attributes[COUNTS]))


def _is_only_call(call: Span, run: Span, view: TraceView) -> bool:
    """Return whether the run has no other model call; false above ``_MAX_INSIDE`` spans."""
    pending, seen = [run], 0
    while pending:
        inside = [s for s in view.tree.children(pending.pop()) if s is not call]
        seen += len(inside)
        if seen > _MAX_INSIDE or any(map(_is_call, inside)):
            return False
        pending.extend(inside)
    return True


def _is_call(span: Span) -> bool:
    return _CHAT_MODEL in span.attributes.get(SPAN_TYPE, "")


def _usages(span: Span) -> Iterator[dict[str, Json]]:
    attributes = span.attributes
    if usage := json_object(attributes.get("usage", "")):
        yield usage
    for text in chain((attributes.get(OUTPUTS, ""),), _chunks(span)):
        if _USAGE in text:
            answer = json_object(text)
            response = answer.get("response")
            reported = (response if isinstance(response, dict) else answer).get("usage")
            if isinstance(reported, dict):
                yield reported


def _chunks(span: Span) -> Iterator[str]:
    chunks = [e for e in span.events[-_LAST_CHUNKS:] if e.name.startswith(CHUNK)]
    return (e.attributes.get("mlflow.chunk.value", "") for e in reversed(chunks))
