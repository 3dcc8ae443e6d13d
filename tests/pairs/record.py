"""Records every pair of LangChain instrumentations, and some triples, on five scenarios.

Some pairs are also recorded on other scenarios, and together with instrumentations of the
model's client.

``python -m tests.pairs.record FOLDER [pair-a-b …]`` in an environment with ``requirements.txt``.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import sys
import warnings
from importlib import import_module
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.pairs.run import run
from tests.pairs.script import EVERY_SCENARIO, SCENARIOS
from tests.pairs.server import ScriptedServer
from tests.pairs.tellers import ENVIRONMENT, TELLERS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from multiprocessing.connection import Connection

TRIPLES = (
    ("openinference", "traceloop", "langsmith"),
    ("otel-genai", "langfuse", "openlit"),
    ("openinference", "langfuse", "mlflow"),
)
TELLING = {
    ("langsmith", "otel-genai"): ("fallback_shared",),
    ("langsmith", "langfuse"): ("fallback_own",),
    ("mlflow", "openlit"): ("fallback_shared",),
    ("openinference", "otel-genai"): ("map_reduce_own", "handoff_own"),
    ("openinference", "langsmith"): ("async_supervisor_own",),
    ("openinference", "mlflow"): ("async_stream_own",),
    ("openinference", "traceloop"): ("map_reduce_shared",),
    ("openinference", "traceloop_openai"): ("handoff_own",),
    ("langsmith", "otel_openai"): ("fallback_own",),
}
"""Runs that show behaviour which the pairs and triples on the five scenarios do not show."""
FORMS = {"shared": True, "own": False}
"""``shared``: one provider, below a span of the application; ``own``: one provider each."""
TIMEOUT_S = 60
PACKAGES = (
    "mlflow.langchain",
    "langfuse.langchain",
    "openinference.instrumentation.langchain",
    "opentelemetry.instrumentation.langchain",
    "opentelemetry.instrumentation.genai.langchain",
    "langchain_openai",
    "langchain.agents",
    "openlit",
    "openinference.instrumentation.openai",
    "opentelemetry.instrumentation.openai",
    "opentelemetry.instrumentation.genai.openai",
    "opentelemetry.exporter.otlp.proto.http.trace_exporter",
)
"""Imported once, because each run is a fork of a process that has imported but not set them up."""


def groups() -> Iterator[tuple[str, Sequence[str], Iterable[str]]]:
    """Yield the folder, the instrumentations and the runs of each pair, triple and mixed group."""
    every = [f"{scenario}_{form}" for scenario in SCENARIOS for form in FORMS]
    for pair in combinations(TELLERS, 2):
        yield "-".join(("pair", *pair)), pair, every
    for triple in TRIPLES:
        yield "-".join(("triple", *triple)), triple, every
    for mixed, runs in TELLING.items():
        yield "-".join(("mixed", *mixed)), mixed, runs


def record(names: Sequence[str], scenario: str, form: str) -> dict[str, Any]:
    """Run a scenario in a process of its own; return its requests, calls, tools and exception."""
    server = ScriptedServer(EVERY_SCENARIO[scenario].agents)
    ours, theirs = multiprocessing.Pipe()
    fork = multiprocessing.get_context("fork")
    child = fork.Process(target=_child, args=(theirs, server.address, names, scenario, form))
    child.start()
    theirs.close()
    told = ours.recv() if ours.poll(TIMEOUT_S) else {"failed": "no answer in time"}
    child.join(TIMEOUT_S)
    server.shutdown()
    server.server_close()
    return {**told, "calls": server.calls, "requests": server.telemetry, "port": server.server_port}


def _child(pipe: Connection, address: str, names: Sequence[str], scenario: str, form: str) -> None:
    os.environ["PAIRS_SERVER"] = address
    try:
        pipe.send(run(names, scenario, is_shared=FORMS[form]))
    finally:
        pipe.close()


def main() -> None:
    """Record the groups that the command names, or all."""
    os.environ.update(ENVIRONMENT)
    warnings.simplefilter("ignore")
    folder, *asked = sys.argv[1:]
    for package in PACKAGES:
        import_module(package)
    write = import_module("tests.pairs.write").write
    for name, names, runs in groups():
        for scenario, _, form in (r.rpartition("_") for r in runs if not asked or name in asked):
            told = record(names, scenario, form)
            said = write(Path(folder) / name, scenario, form, names, told)
            print(json.dumps({"capture": f"{name}/{scenario}_{form}", **said}), flush=True)


if __name__ == "__main__":
    main()
