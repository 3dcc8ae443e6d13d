"""The LangChain instrumentations, each set up with content on, over a provider that is given."""

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
"""Content on where it takes a variable; LangSmith sends nothing to its own service."""
Flush = list[Any]
"""What to call when all has run."""


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
    """LangSmith's tracing, exported by OpenTelemetry only."""
    os.environ["LANGSMITH_TRACING"] = "true"
    import_module("langsmith.utils").get_env_var.cache_clear()
    trees = import_module("langsmith.run_trees")
    trees.get_cached_client(tracing_mode="otel", otel_tracer_provider=provider)
    flush.append(import_module("langchain_core.tracers.langchain").wait_for_all_tracers)
    return []


def langfuse(provider: Any, _: bool, flush: Flush) -> list[Any]:
    """Langfuse's client; over a shared provider the other's exporter sends its spans."""
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
    """MLflow's autologging: with a provider of its own, or with an exporter in the global one."""
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
    """OpenLIT's two instrumentations of LangChain; it knows the global provider alone."""
    return _openlit({"langchain", "langgraph"})


def _openlit(wanted: set[str]) -> list[Any]:
    known = import_module("openlit._instrumentors").MODULE_NAME_MAP
    others = sorted(set(known) - wanted)
    prices = f"{os.environ['PAIRS_SERVER']}/prices"  # none; else it asks the network
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
    """OpenLIT's instrumentation of the client alone."""
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
"""Name to what sets it up and returns the callbacks to hand to the run."""
CLIENTS: Mapping[str, Callable[[Any, bool, Flush], list[Any]]] = {
    "traceloop_openai": traceloop_openai,
    "openinference_openai": openinference_openai,
    "otel_openai": otel_openai,
    "openlit_openai": openlit_openai,
}
"""The same of instrumentations of the model's client."""
EVERY_TELLER = {**TELLERS, **CLIENTS}
