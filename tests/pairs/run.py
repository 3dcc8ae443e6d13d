"""Runs a scenario in this process under some instrumentations, with one or several providers."""

from __future__ import annotations

import asyncio
import os
from importlib import import_module
from typing import TYPE_CHECKING, Any

from tests.pairs.agents import make_chain, make_first_agent
from tests.pairs.graphs import make_graph
from tests.pairs.script import EVERY_SCENARIO
from tests.pairs.tellers import CONTENT, EVERY_TELLER

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.pairs.agents import Log
    from tests.pairs.script import Scenario

FLUSH_MS = 60
APPLICATION = "POST /ask"


def run(names: Sequence[str], scenario: str, *, is_shared: bool) -> dict[str, Any]:
    """Run a scenario under these instrumentations; return its tool runs and its exception."""
    openlit = next((name for name in names if name.startswith("openlit")), "")
    if openlit and not {"otel-genai", "otel_openai"} & set(names):  # they need another value
        os.environ[CONTENT] = "true"
    trace = import_module("opentelemetry.trace")
    providers = _providers(names, is_shared=is_shared)
    trace.set_tracer_provider(providers[openlit or names[0]])
    flush: list[Callable[[], Any]] = []
    callbacks = [
        callback
        for name in names
        for callback in EVERY_TELLER[name](providers[name], is_shared, flush)
    ]
    tools: Log = []
    if is_shared:
        tracer = providers[names[0]].get_tracer("shop")
        with tracer.start_as_current_span(APPLICATION):
            seen = _run_script(EVERY_SCENARIO[scenario], tools, callbacks)
    else:
        seen = _run_script(EVERY_SCENARIO[scenario], tools, callbacks)
    for send in (*flush, *(provider.shutdown for provider in providers.values())):
        send()
    return {"tools": tools, "exception": seen}


def _providers(names: Sequence[str], *, is_shared: bool) -> dict[str, Any]:
    """Return the provider of each instrumentation; MLflow adds its exporter to a shared one."""
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
        make = make_graph if script.graph else make_first_agent
        run = make(script, tools)
        asked = {"messages": [{"role": "user", "content": script.question}]}
        if script.is_async:
            asyncio.run(_listen(run, asked, config))
        elif script.streams:
            list(run.stream(asked, config=config, stream_mode="messages"))
        else:
            run.invoke(asked, config=config)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None


async def _listen(run: Any, asked: dict[str, Any], config: dict[str, Any]) -> None:
    async for _ in run.astream(asked, config=config, stream_mode="messages"):
        pass
