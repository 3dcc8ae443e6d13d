"""Finds log records of unknown coding agents in spans that report no steps themselves.

If the sender is known, its dialect reads the records that are attached to its spans. An unknown
sender may attach its records to spans with arbitrary names; if no span of the trace has attributes
of a known convention, these records are read like records without a span.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

from spanloom.core.conventions.agent_logs import as_span, is_from_agent, is_of_known_sender

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanloom.core.model.span import Event, Span

_CONVENTIONS = (
    *("gen_ai.", "llm.", "ai.", "openinference.", "traceloop.", "langfuse.", "mlflow."),
    *("langsmith.", "cozeloop.", "tool.", "tool_name", "genkit:", "lk.", "mcp."),
)
"""Prefixes of attributes by which spans themselves report agents, calls and tools."""


def lift_records(spans: Sequence[Span]) -> Sequence[Span]:
    """Return unknown agents' records as spans without a parent; empty if spans report the run."""
    records = list(_records(spans))
    if not records or any(map(_tells, spans)):
        return ()
    return [_lifted(span, event, number) for span, event, number in records]


def _records(spans: Sequence[Span]) -> Iterator[tuple[Span, Event, int]]:
    """Yield each record with its span and its index among the span's events."""
    for span in spans:
        for number, event in enumerate(span.events):
            if is_from_agent(event) and not is_of_known_sender(event.name):
                yield span, event, number


def _tells(span: Span) -> bool:
    return any(key.startswith(_CONVENTIONS) for key in span.attributes)


def _lifted(span: Span, event: Event, number: int) -> Span:
    named = f"{span.span_id}{event.name}{event.time_ns}{number}"
    event_id = blake2b(named.encode(errors="surrogatepass"), digest_size=8).hexdigest()
    record = as_span(event, event_id, (span.trace_id, ""), span.row_version)
    return record._replace(
        service_name=span.service_name,
        scope_name=span.scope_name,
        environment=span.environment,
        release=span.release,
    )
