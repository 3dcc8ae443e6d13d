"""A program: the team of ``agents_team``, sent by an SDK with its own exporter.

Started as ``python -m tests.support.agents_senders langfuse``; ``SPANLOOM_OTLP_HTTP`` is the
address of the service. Prints the real actions of the models and tools.
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from importlib import import_module
from typing import TYPE_CHECKING, Any

from langchain_core.messages import HumanMessage
from tests.support.agents_team import PLANNER, QUESTION, TRUTH

if TYPE_CHECKING:
    from collections.abc import Callable

ADDRESS = os.environ["SPANLOOM_OTLP_HTTP"]
NO_KEY = "none"


def ask(*callbacks: Any) -> None:  # each SDK has its own class
    """Run the team once."""
    PLANNER.invoke({"messages": [HumanMessage(QUESTION)]}, config={"callbacks": list(callbacks)})


def traceloop() -> None:
    """Run the team with OpenLLMetry's instrumentation and the OpenTelemetry SDK's exporter."""
    exporter = import_module("opentelemetry.exporter.otlp.proto.http.trace_exporter")
    sdk, export = (import_module(f"opentelemetry.sdk.trace{end}") for end in ("", ".export"))
    provider = sdk.TracerProvider()
    exporter = exporter.OTLPSpanExporter(endpoint=f"{ADDRESS}/v1/traces")
    provider.add_span_processor(export.BatchSpanProcessor(exporter))
    package = import_module("opentelemetry.instrumentation.langchain")
    package.LangchainInstrumentor().instrument(tracer_provider=provider)
    ask()
    provider.shutdown()


def langsmith() -> None:
    """Run the team with LangSmith's own tracing, exported by OpenTelemetry only."""
    os.environ |= {
        "LANGSMITH_TRACING": "true",
        "LANGSMITH_OTEL_ENABLED": "true",
        "LANGSMITH_OTEL_ONLY": "true",
        "LANGSMITH_API_KEY": NO_KEY,
        "OTEL_EXPORTER_OTLP_ENDPOINT": ADDRESS,
    }
    exporter = import_module("opentelemetry.exporter.otlp.proto.http.trace_exporter")
    sdk, export = (import_module(f"opentelemetry.sdk.trace{end}") for end in ("", ".export"))
    provider = sdk.TracerProvider()
    provider.add_span_processor(export.BatchSpanProcessor(exporter.OTLPSpanExporter()))
    import_module("opentelemetry.trace").set_tracer_provider(provider)
    ask()
    import_module("langchain_core.tracers.langchain").wait_for_all_tracers()
    provider.shutdown()


def langfuse() -> None:
    """Run the team with Langfuse's SDK and exporter, whose host is the service."""
    package = import_module("langfuse")
    client = package.Langfuse(public_key="pk-lf-none", secret_key=NO_KEY, host=ADDRESS)
    ask(import_module("langfuse.langchain").CallbackHandler())
    client.flush()
    client.shutdown()


def mlflow() -> None:
    """Run the team with MLflow's autologging; the standard variable enables its OTLP export."""
    os.environ |= {
        "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": f"{ADDRESS}/v1/traces",
        "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "http/protobuf",
        "MLFLOW_TRACKING_URI": "file:///nonexistent",
    }
    package = import_module("mlflow")
    import_module("mlflow.langchain").autolog()
    ask()
    package.flush_trace_async_logging()


def cozeloop() -> None:
    """Run the team with the Coze Loop SDK and its own ingestion."""
    with warnings.catch_warnings(record=True):  # one of its packages warns that it is deprecated
        package = import_module("cozeloop")
    client = package.new_client(api_base_url=ADDRESS, workspace_id="1", api_token=NO_KEY)
    package.set_default_client(client)
    integration = import_module("cozeloop.integration.langchain.trace_callback")
    ask(integration.LoopTracer.get_callback_handler(client))
    client.flush()
    client.close()


SENDERS: dict[str, Callable[[], None]] = {
    sender.__name__: sender for sender in (traceloop, langsmith, langfuse, mlflow, cozeloop)
}


if __name__ == "__main__":
    SENDERS[sys.argv[1]]()
    print(json.dumps(TRUTH))
