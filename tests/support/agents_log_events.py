"""A program: a model call whose messages are log events (``python -m … grpc late``)."""

from __future__ import annotations

import json
import sys
import time
import warnings
from importlib import import_module
from typing import Any

warnings.simplefilter("ignore")  # the SDK's packages for logs warn of possible changes

from opentelemetry import trace  # noqa: E402
from opentelemetry._logs import LogRecord  # noqa: E402
from opentelemetry.sdk._logs import LoggerProvider  # noqa: E402
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor  # noqa: E402
from opentelemetry.sdk.trace import TracerProvider  # noqa: E402
from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: E402

QUESTION, ANSWER = "Where is my parcel?", "On its way."
EVENTS: tuple[tuple[str, dict[str, Any]], ...] = (  # bodies as the SDK accepts them
    ("gen_ai.user.message", {"content": QUESTION}),
    ("gen_ai.choice", {"index": 0, "message": {"role": "assistant", "content": ANSWER}}),
    ("some.other.event", {"content": "dropped"}),
)
LATE_S = 2.0
"""Seconds by which the messages follow their span, whose trajectory is stored by then."""


def exporters(way: str) -> tuple[Any, Any]:  # the transports share no base class
    """Return a new span exporter and log exporter for a transport (``grpc`` or ``http``)."""
    package = f"opentelemetry.exporter.otlp.proto.{way}"
    return (
        import_module(f"{package}.trace_exporter").OTLPSpanExporter(),
        import_module(f"{package}._log_exporter").OTLPLogExporter(),
    )


def main(way: str, *, late: bool) -> None:
    """Send the span of a model call, then its messages; print the span's trace id."""
    span_exporter, log_exporter = exporters(way)
    spans, logs = TracerProvider(), LoggerProvider()
    spans.add_span_processor(BatchSpanProcessor(span_exporter))
    logs.add_log_record_processor(BatchLogRecordProcessor(log_exporter))
    attributes: dict[str, Any] = {"gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": 7}
    with spans.get_tracer("tests").start_as_current_span("chat m", attributes=attributes) as span:
        pass
    spans.force_flush()
    time.sleep(LATE_S if late else 0)
    logger, around = logs.get_logger("tests"), trace.set_span_in_context(span)
    for at, (name, body) in enumerate(EVENTS, 1):
        logger.emit(LogRecord(timestamp=at, event_name=name, body=body, context=around))
    logs.force_flush()
    spans.shutdown()
    logs.shutdown()
    context = span.get_span_context()
    print(json.dumps({"trace_of_span": {f"{context.span_id:016x}": f"{context.trace_id:032x}"}}))


if __name__ == "__main__":
    main(sys.argv[1], late=sys.argv[2] == "late")
