"""A program: a run with evaluation results as a span event, as a span and as log records."""

from __future__ import annotations

import json
import sys
import warnings
from typing import Any

warnings.simplefilter("ignore")  # the SDK's packages for logs warn of possible changes

from opentelemetry import trace  # noqa: E402
from opentelemetry._logs import LogRecord  # noqa: E402
from opentelemetry.context import Context  # noqa: E402
from opentelemetry.sdk._logs import LoggerProvider  # noqa: E402
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor  # noqa: E402
from opentelemetry.sdk.trace import TracerProvider  # noqa: E402
from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: E402
from tests.support.agents_log_events import exporters  # noqa: E402

RESULT = "gen_ai.evaluation.result"
RESPONSE = "resp-of-the-call"
MADE_NS = 1_700_000_000_000_000_000


def said(name: str, value: object = None, label: str = "", **more: object) -> dict[str, Any]:
    """Return the attributes of an evaluation result."""
    told = {
        "gen_ai.evaluation.name": name,
        "gen_ai.evaluation.score.value": value,
        "gen_ai.evaluation.score.label": label or None,
        **more,
    }
    return {key: value for key, value in told.items() if value is not None}


def main(way: str) -> None:
    """Send results before, with and after the run's spans; print the trace ids of its spans."""
    span_exporter, log_exporter = exporters(way)
    spans, logs = TracerProvider(), LoggerProvider()
    spans.add_span_processor(BatchSpanProcessor(span_exporter))
    logs.add_log_record_processor(BatchLogRecordProcessor(log_exporter))
    tracer, judge = spans.get_tracer("agent"), logs.get_logger("judge")

    def send(attributes: dict[str, Any], context: Context) -> None:
        record = LogRecord(
            timestamp=MADE_NS,
            event_name=RESULT,
            attributes=attributes,
            context=context,
        )
        judge.emit(record)
        logs.force_flush()

    agent = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "planner"}
    chat = {"gen_ai.operation.name": "chat", "gen_ai.response.id": RESPONSE}
    with tracer.start_as_current_span("invoke_agent planner", attributes=agent) as root:
        with tracer.start_as_current_span("chat m", attributes=chat) as call:
            call.add_event(RESULT, said("by event", "0.75", label="good"))
            send(said("before", 1.0), trace.set_span_in_context(call))
        tracer.start_span(
            RESULT, trace.set_span_in_context(call), attributes=said("by span", label="polite")
        ).end()
    spans.force_flush()
    for _ in range(2):
        send(said("of the run", 0.5), trace.set_span_in_context(root))
    send(said("of the response", 0.25, **{"gen_ai.response.id": RESPONSE}), Context())
    send(said("failed", **{"error.type": "Timeout"}), trace.set_span_in_context(call))
    spans.shutdown()
    logs.shutdown()
    ids = [each.get_span_context() for each in (root, call)]
    print(json.dumps({"trace_of_span": {f"{i.span_id:016x}": f"{i.trace_id:032x}" for i in ids}}))


if __name__ == "__main__":
    main(sys.argv[1])
