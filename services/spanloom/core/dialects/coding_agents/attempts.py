"""Creates spans for failed attempts of a model call, which only events report.

Claude Code has one span for a model call with all its attempts; Codex has several requests in one
span. The call's own span represents the last attempt; each earlier attempt becomes a separate span,
a sibling of the call's span.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

from spanloom.core.conventions.agent_events import list_events
from spanloom.core.conventions.agent_logs import OF_EVENT
from spanloom.core.conventions.agent_records import What
from spanloom.core.values.attributes import integer

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from spanloom.core.conventions.agent_events import Event
    from spanloom.core.model.span import Span

ATTEMPT = "coding_agent.attempt"
"""Attribute with the number of the attempt, on spans that this module creates."""
_CLAUDE_CODE, _CODEX = "claude_code.llm_request", "try_run_sampling_request"
_EVENT = "gen_ai.request.attempt"
MAX_DEPTH = 64
"""The maximum number of levels between a request's span and the span of its call."""
_MAX = 50
"""The maximum number of attempts of one model call that become spans."""


def list_attempts(spans: Sequence[Span]) -> Sequence[Span]:
    """Return a span for every attempt of a model call except the last."""
    found = [made for span in spans if span.name == _CLAUDE_CODE for made in _of_events(span)]
    if any(span.name == _CODEX for span in spans):
        found += _of_requests(spans)
    return found


def _of_events(call: Span) -> Iterator[Span]:
    """Yield a span for every attempt of a model call of Claude Code except the last."""
    times = [event.time_ns for event in call.events if event.name == _EVENT]
    attempts = min(max(integer(call.attributes.get("attempt", "")), len(times)), _MAX)
    for number in range(1, attempts):
        start_ns = times[number - 1] if number <= len(times) else call.start_ns
        end_ns = times[number] if number < len(times) else start_ns
        message = f"attempt {number} of {attempts} failed and was repeated"
        yield _make(call, call.parent_span_id, number, (start_ns, end_ns), message, {})


def _of_requests(spans: Sequence[Span]) -> Iterator[Span]:
    """Yield a span for every request of a model call of Codex except the last."""
    by_id = {span.span_id: span for span in spans}
    for call_id, requests in requests_of(spans).items():
        call = by_id[call_id]
        for number, request in enumerate(requests[:-1][:_MAX], 1):
            message = request.attributes.get("error.message") or "the request was repeated"
            times = (request.start_ns, request.time_ns)
            status = {"http.response.status_code": str(request.status)} if request.status else {}
            yield _make(call, call.parent_span_id, number, times, message, status)


def requests_of(spans: Sequence[Span]) -> Mapping[str, Sequence[Event]]:
    """Return the requests of each model call of Codex in order, keyed by the call's span id."""
    by_id = {span.span_id: span for span in spans}
    found: dict[str, list[Event]] = {}
    for event in list_events(span for span in spans if span.events):
        if event.what is What.REQUEST and (call := call_around(event.holder, by_id)) is not None:
            found.setdefault(call.span_id, []).append(event)
    return found


def call_around(span: Span, by_id: Mapping[str, Span]) -> Span | None:
    """Return the innermost model call of Codex that contains a span."""
    current: Span | None = span
    for _ in range(MAX_DEPTH):
        if current is None or current.name == _CODEX:
            return current
        current = by_id.get(current.parent_span_id)
    return None


def made_id(of_id: str, name: str) -> str:
    """Return the id of a created span, with the prefix of ids of spans made from log records.

    If a later build does not create the span, the prefix shows that it was never a stored span.
    """
    digest = blake2b(f"{of_id}{name}".encode(), digest_size=8).hexdigest()
    return OF_EVENT + digest[len(OF_EVENT) :]


def _make(
    call: Span,
    parent_id: str,
    number: int,
    times: tuple[int, int],
    message: str,
    attributes: Mapping[str, str],
) -> Span:
    kept = ("model", "gen_ai.system", "gen_ai.request.model", "session.id", "agent_id")
    own = {key: call.attributes[key] for key in kept if key in call.attributes}
    return call._replace(
        span_id=made_id(call.span_id, str(number)),
        parent_span_id=parent_id,
        start_ns=times[0],
        end_ns=times[1],
        status_code="Error",
        status_message=message,
        attributes={**own, **attributes, ATTEMPT: str(number)},
        events=(),
        links=(),
    )
