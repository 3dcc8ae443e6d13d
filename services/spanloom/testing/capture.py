"""Captures the spans of this process with a span processor on the global tracer provider."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol, cast
from weakref import WeakSet

from opentelemetry import context, trace
from opentelemetry.sdk.trace import SpanProcessor, TracerProvider

from spanloom.testing.blocks import Block, blocks_of_process
from spanloom.testing.sdk_spans import group_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from opentelemetry.context import Context
    from opentelemetry.sdk.trace import ReadableSpan, Span

_BLOCK = context.create_key("spanloom-block")
_watched: WeakSet[object] = WeakSet()
"""Providers that have the processor, which cannot be removed again."""


class _Provider(Protocol):
    def add_span_processor(self, span_processor: SpanProcessor) -> None: ...


class _Processor(SpanProcessor):
    def on_start(self, span: Span, parent_context: Context | None = None) -> None:
        ids = span.get_span_context()
        if ids is not None:
            within = _block_in(parent_context) or _block_in(None)
            blocks_of_process().start(*_keys(ids), span.name, within)

    def on_end(self, span: ReadableSpan) -> None:
        if span.context is not None:
            blocks_of_process().finish(*_keys(span.context), group_of(span))


def watch_provider() -> None:
    """Capture the spans of the global tracer provider; set an SDK provider if there is none.

    A provider that accepts no span processors is left as it is: no span is captured, and the
    failure message names the provider.
    """
    if isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider):
        trace.set_tracer_provider(TracerProvider())
    provider = trace.get_tracer_provider()
    if hasattr(provider, "add_span_processor") and provider not in _watched:
        cast("_Provider", provider).add_span_processor(_Processor())
        _watched.add(provider)


def provider_name() -> str:
    """Return the class of the global provider, and its sampler, for a failure message."""
    provider = trace.get_tracer_provider()
    kind = type(provider)
    sampler = getattr(provider, "sampler", None)
    sampled = f", sampler {sampler.get_description()}" if sampler is not None else ""
    return f"{kind.__module__}.{kind.__qualname__}{sampled}"


@contextmanager
def within(block: Block) -> Iterator[None]:
    """Set the block in the context, so that traces whose root starts in it belong to the block."""
    token = context.attach(context.set_value(_BLOCK, block))
    try:
        yield
    finally:
        context.detach(token)


def _block_in(given: Context | None) -> Block | None:
    block = context.get_value(_BLOCK, given)
    return block if isinstance(block, Block) else None


def _keys(ids: trace.SpanContext) -> tuple[str, str]:
    return f"{ids.trace_id:032x}", f"{ids.span_id:016x}"
