"""One run in a process of its own: some instrumentations, one scenario, one provider or several."""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any

from tests.pairs.agents import make_agent, make_chain
from tests.pairs.script import SCENARIOS
from tests.pairs.tellers import CONTENT, TELLERS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.pairs.agents import Log
    from tests.pairs.script import Scenario

FLUSH_MS = 60
APPLICATION = "POST /ask"


def run(names: Sequence[str], scenario: str, *, is_shared: bool) -> dict[str, Any]:
    """Run the scenario, told by these instrumentations, and return what really happened."""
    if "openlit" in names and "otel-genai" not in names:  # one variable, two vocabularies
        os.environ[CONTENT] = "true"
    trace = import_module("opentelemetry.trace")
    providers = _providers(names, is_shared=is_shared)
    trace.set_tracer_provider(providers["openlit" if "openlit" in names else names[0]])
    flush: list[Callable[[], Any]] = []
    callbacks = [
        callback for name in names for callback in TELLERS[name](providers[name], is_shared, flush)
    ]
    tools: Log = []
    if is_shared:
        tracer = providers[names[0]].get_tracer("shop")
        with tracer.start_as_current_span(APPLICATION):
            seen = _run_script(SCENARIOS[scenario], tools, callbacks)
    else:
        seen = _run_script(SCENARIOS[scenario], tools, callbacks)
    for send in (*flush, *(provider.shutdown for provider in providers.values())):
        send()
    return {"tools": tools, "exception": seen}


def _providers(names: Sequence[str], *, is_shared: bool) -> dict[str, Any]:
    """Return who has which provider; in a shared one MLflow puts an exporter of its own."""
    if not is_shared:
        return {name: _provider(sends=True) for name in names}
    return dict.fromkeys(names, _provider(sends="mlflow" not in names))


def _provider(*, sends: bool) -> Any:
    sdk, export = (import_module(f"opentelemetry.sdk.trace{end}") for end in ("", ".export"))
    package = import_module("opentelemetry.exporter.otlp.proto.http.trace_exporter")
    provider = sdk.TracerProvider()
    if sends:
        exporter = package.OTLPSpanExporter(endpoint=f"{os.environ['PAIRS_SERVER']}/v1/traces")
        batches = export.BatchSpanProcessor(exporter, schedule_delay_millis=FLUSH_MS)
        provider.add_span_processor(batches)
    return provider


def _run_script(script: Scenario, tools: Log, callbacks: list[Any]) -> str | None:
    config = {"callbacks": callbacks}
    try:
        if script.is_chain:
            make_chain(script.agents[0]).invoke(script.question, config=config)
            return None
        agent = make_agent(script.agents[0], script, tools)
        asked = {"messages": [{"role": "user", "content": script.question}]}
        if script.streams:
            list(agent.stream(asked, config=config, stream_mode="messages"))
        else:
            agent.invoke(asked, config=config)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None
