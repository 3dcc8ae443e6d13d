"""Sets up each instrumentation of LangChain, or of OpenAI's client, with content capture."""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

CONTENT = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
ENVIRONMENT = {
    "LANGSMITH_TRACING": "false",
    "LANGSMITH_API_KEY": "none",
    "OTEL_SEMCONV_STABILITY_OPT_IN": "gen_ai_latest_experimental",
    CONTENT: "SPAN_ONLY",
    "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "http/protobuf",
    "MLFLOW_TRACKING_URI": "file:///nonexistent",
    "TRACELOOP_TRACE_CONTENT": "true",
}
"""Variables that switch content on, and keep LangSmith from sending to its own service."""
Flush = list[Any]
"""Functions to call after the run."""


def openinference(provider: Any, _: bool, __: Flush) -> list[Any]:
    package = import_module("openinference.instrumentation.langchain")
    package.LangChainInstrumentor().instrument(tracer_provider=provider)
    return []


def traceloop(provider: Any, _: bool, __: Flush) -> list[Any]:
    package = import_module("opentelemetry.instrumentation.langchain")
    package.LangchainInstrumentor().instrument(tracer_provider=provider)
    return []


def otel_genai(provider: Any, _: bool, __: Flush) -> list[Any]:
    package = import_module("opentelemetry.instrumentation.genai.langchain")
    package.LangChainInstrumentor().instrument(tracer_provider=provider)
    return []


def langsmith(provider: Any, _: bool, flush: Flush) -> list[Any]:
    """Set up LangSmith's tracing, exported by OpenTelemetry only."""
    os.environ["LANGSMITH_TRACING"] = "true"
    import_module("langsmith.utils").get_env_var.cache_clear()
    trees = import_module("langsmith.run_trees")
    trees.get_cached_client(tracing_mode="otel", otel_tracer_provider=provider)
    flush.append(import_module("langchain_core.tracers.langchain").wait_for_all_tracers)
    return []


def langfuse(provider: Any, _: bool, flush: Flush) -> list[Any]:
    """Set up Langfuse's client, whose spans only the given provider's exporter sends."""
    package = import_module("langfuse")
    memory = import_module("opentelemetry.sdk.trace.export.in_memory_span_exporter")
    client = package.Langfuse(
        public_key="pk-lf-none",
        secret_key="none",  # noqa: S106  (no secret: the server is on loopback)
        base_url=os.environ["PAIRS_SERVER"],
        tracer_provider=provider,
        span_exporter=memory.InMemorySpanExporter(),
    )
    flush.append(client.flush)
    return [import_module("langfuse.langchain").CallbackHandler()]


def mlflow(_: Any, is_shared: bool, flush: Flush) -> list[Any]:
    """Set up MLflow's autologging, with its own provider or its exporter in the global one."""
    endpoint = f"{os.environ['PAIRS_SERVER']}/v1/traces"
    os.environ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"] = endpoint
    if is_shared:
        os.environ["MLFLOW_USE_DEFAULT_TRACER_PROVIDER"] = "false"
    import_module("mlflow.langchain").autolog()
    tracing = import_module("mlflow.tracing.provider").provider
    tracing.get_or_init_tracer(__name__)
    flush.append(lambda: tracing.get().force_flush())
    return []


def openlit(_: Any, __: bool, ___: Flush) -> list[Any]:
    """Set up OpenLIT's two LangChain instrumentations, which use only the global provider."""
    return _openlit({"langchain", "langgraph"})


def _openlit(wanted: set[str]) -> list[Any]:
    known = import_module("openlit._instrumentors").MODULE_NAME_MAP
    others = sorted(set(known) - wanted)
    prices = f"{os.environ['PAIRS_SERVER']}/prices"  # empty; the default is downloaded
    import_module("openlit").init(
        disabled_instrumentors=others,
        disable_metrics=True,
        disable_events=True,
        pricing_json=prices,
    )
    return []


def traceloop_openai(provider: Any, _: bool, __: Flush) -> list[Any]:
    package = import_module("opentelemetry.instrumentation.openai")
    package.OpenAIInstrumentor().instrument(tracer_provider=provider)
    return []


def openinference_openai(provider: Any, _: bool, __: Flush) -> list[Any]:
    package = import_module("openinference.instrumentation.openai")
    package.OpenAIInstrumentor().instrument(tracer_provider=provider)
    return []


def otel_openai(provider: Any, _: bool, __: Flush) -> list[Any]:
    package = import_module("opentelemetry.instrumentation.genai.openai")
    package.OpenAIInstrumentor().instrument(tracer_provider=provider)
    return []


def openlit_openai(_: Any, __: bool, ___: Flush) -> list[Any]:
    """Set up OpenLIT's instrumentation of OpenAI's client alone."""
    return _openlit({"openai"})


TELLERS: Mapping[str, Callable[[Any, bool, Flush], list[Any]]] = {
    "openinference": openinference,
    "traceloop": traceloop,
    "langsmith": langsmith,
    "otel-genai": otel_genai,
    "langfuse": langfuse,
    "mlflow": mlflow,
    "openlit": openlit,
}
"""The function that sets up each instrumentation and returns the run's callbacks, by name."""
CLIENTS: Mapping[str, Callable[[Any, bool, Flush], list[Any]]] = {
    "traceloop_openai": traceloop_openai,
    "openinference_openai": openinference_openai,
    "otel_openai": otel_openai,
    "openlit_openai": openlit_openai,
}
"""The same for the instrumentations of the model's client."""
EVERY_TELLER = {**TELLERS, **CLIENTS}
