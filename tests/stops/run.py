"""A program that runs one scenario: ``python -m tests.stops.run FOLDER SCENARIO STATE``.

Prints its tool runs and outcomes as JSON. ``STATE`` is a folder for the state that a process saves
for the next one.
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from importlib import import_module
from pathlib import Path
from typing import Any

from tests.stops.script import STOPS
from tests.stops.tellers import ENVIRONMENT, TELLERS


def main() -> None:
    """Run the scenario under the folder's instrumentation, and print what happened."""
    folder, name, state = sys.argv[1:]
    warnings.simplefilter("ignore")
    stop, teller = STOPS[name], TELLERS[folder]
    base = f"{os.environ['PAIRS_SERVER']}/{stop.script.agents[0].name}/v1"
    os.environ.update({**ENVIRONMENT, "OPENAI_BASE_URL": base})
    provider, flush = _provider(), list[Any]()
    callbacks = list(teller.set_up(provider, flush))
    framework = import_module(f"tests.stops.{teller.framework}")
    tools: list[dict[str, Any]] = []
    runs = framework.run(stop, tools, callbacks, Path(state))
    for send in (*flush, provider.shutdown):
        send()
    print(json.dumps({"tools": tools, "runs": runs}))


def _provider() -> Any:
    sdk, export = (import_module(f"opentelemetry.sdk.trace{end}") for end in ("", ".export"))
    package = import_module("opentelemetry.exporter.otlp.proto.http.trace_exporter")
    exporter = package.OTLPSpanExporter(endpoint=f"{os.environ['PAIRS_SERVER']}/v1/traces")
    provider = sdk.TracerProvider()
    provider.add_span_processor(export.BatchSpanProcessor(exporter))
    import_module("opentelemetry.trace").set_tracer_provider(provider)
    return provider


if __name__ == "__main__":
    main()
