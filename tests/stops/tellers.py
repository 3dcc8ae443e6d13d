"""The instrumentation and the runs of each folder, and the set-up of each with content on."""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from tests.pairs import tellers as langchain
from tests.stops.script import APPROVALS, CANCELS, LATER

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

ENVIRONMENT = {
    **langchain.ENVIRONMENT,
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "ENABLE_INSTRUMENTATION": "true",
    "ENABLE_SENSITIVE_DATA": "true",
    "OPENAI_API_KEY": "none",
    "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf",
}
Flush = list[Any]


class Teller(NamedTuple):
    """An instrumentation of a framework."""

    framework: str
    """The module or ``.mjs`` script in this package that runs the scenarios."""
    set_up: Callable[[Any, Flush], Sequence[Any]]
    """Sets up the instrumentation over a provider; returns the run's callbacks."""
    stops: Sequence[str]


def _own(_: Any, __: Flush) -> Sequence[Any]:
    return ()  # the framework reports itself to the global provider


def _instrumented(package: str, name: str) -> Callable[[Any, Flush], Sequence[Any]]:
    def set_up(provider: Any, _: Flush) -> Sequence[Any]:
        getattr(import_module(package), name)().instrument(tracer_provider=provider)
        return ()

    return set_up


def _logfire(_: Any, flush: Flush) -> Sequence[Any]:
    """Set up Logfire, whose own provider exports to the endpoint in the variable."""
    _name_endpoint()
    package = import_module("logfire")
    package.configure(send_to_logfire=False, console=False)
    package.instrument_openai_agents()
    flush.append(package.force_flush)
    return ()


def _mlflow(_: Any, flush: Flush) -> Sequence[Any]:
    _name_endpoint()
    import_module("mlflow.openai").autolog()
    tracing = import_module("mlflow.tracing.provider").provider
    tracing.get_or_init_tracer(__name__)
    flush.append(lambda: tracing.get().force_flush())
    return ()


def _name_endpoint() -> None:
    endpoint = f"{os.environ['PAIRS_SERVER']}/v1/traces"
    os.environ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"] = endpoint


_TOLD: Mapping[str, Sequence[str]] = {
    "traceloop": ("cancelled_tool", "cancelled_stream", "race_cancelled"),
    "langsmith": ("cancelled_tool", "cancelled_keyboard", "race_cancelled"),
    "otel-genai": ("cancelled_tool", "cancelled_stream", "race_cancelled"),
    "langfuse": ("cancelled_tool", "cancelled_model", "race_cancelled"),
    "mlflow": ("cancelled_tool", "cancelled_stream", "race_cancelled"),
    "openlit": ("cancelled_tool", "cancelled_stream"),
}
"""Runs that an instrumentation reports differently from OpenInference, which has all runs."""


def _langchain(name: str) -> Teller:
    def set_up(provider: Any, flush: Flush) -> Sequence[Any]:
        if name == "openlit":
            os.environ[langchain.CONTENT] = "true"
        found: Sequence[Any] = langchain.TELLERS[name](provider, False, flush)
        return found

    return Teller("langgraph", set_up, tuple(CANCELS) if name == "openinference" else _TOLD[name])


_ASKING = tuple(APPROVALS)
_AGENTS = "openai_agents", "OpenAIAgentsInstrumentor"
TELLERS: Mapping[str, Teller] = {
    "other-openai-agents-openinference": Teller(
        _AGENTS[0],
        _instrumented("openinference.instrumentation.openai_agents", _AGENTS[1]),
        _ASKING,
    ),
    "other-openai-agents-traceloop": Teller(
        _AGENTS[0],
        _instrumented("opentelemetry.instrumentation.openai_agents", _AGENTS[1]),
        _ASKING,
    ),
    "logfire-openai-agents": Teller(_AGENTS[0], _logfire, _ASKING),
    "other-openai-agents-mlflow": Teller(_AGENTS[0], _mlflow, _ASKING),
    "other-google-adk": Teller("google_adk", _own, (*_ASKING, *LATER)),
    "other-google-adk-openinference": Teller(
        "google_adk",
        _instrumented("openinference.instrumentation.google_adk", "GoogleADKInstrumentor"),
        (*_ASKING, *LATER),
    ),
    "other-agent-framework": Teller("agent_framework", _own, _ASKING),
    "js-openinference": Teller("langchain_js.mjs", _own, ("cancelled_tool", "cancelled_model")),
    "openinference-langchain": _langchain("openinference"),
    **{name: _langchain(name) for name in langchain.TELLERS if name != "openinference"},
}
"""The instrumentation that is recorded in each folder of captures."""
