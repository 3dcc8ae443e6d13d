"""Records every pair of LangChain instrumentations, and some triples, on five scenarios.

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
from tests.pairs.script import SCENARIOS
from tests.pairs.server import ScriptedServer
from tests.pairs.tellers import ENVIRONMENT, TELLERS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from multiprocessing.connection import Connection

TRIPLES = (
    ("openinference", "traceloop", "langsmith"),
    ("otel-genai", "langfuse", "openlit"),
    ("openinference", "langfuse", "mlflow"),
)
FORMS = {"shared": True, "own": False}
"""One provider, under a span of the application; or each its own, with nothing around."""
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
    "opentelemetry.exporter.otlp.proto.http.trace_exporter",
)
"""Imported once: each run is a copy of a process that has them all, and none set up."""


def groups() -> Iterator[tuple[str, Sequence[str]]]:
    """Yield the folder and the instrumentations of each pair and triple."""
    for pair in combinations(TELLERS, 2):
        yield "-".join(("pair", *pair)), pair
    for triple in TRIPLES:
        yield "-".join(("triple", *triple)), triple


def record(names: Sequence[str], scenario: str, form: str) -> dict[str, Any]:
    """Run a scenario in a process of its own; return its requests, calls, tools and exception."""
    server = ScriptedServer(SCENARIOS[scenario].agents)
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
    """Record what is asked for, or everything."""
    os.environ.update(ENVIRONMENT)
    warnings.simplefilter("ignore")
    folder, *asked = sys.argv[1:]
    for package in PACKAGES:
        import_module(package)
    write = import_module("tests.pairs.write").write
    for name, names in groups():
        for scenario in SCENARIOS if not asked or name in asked else ():
            for form in FORMS:
                told = record(names, scenario, form)
                said = write(Path(folder) / name, scenario, form, names, told)
                print(json.dumps({"capture": f"{name}/{scenario}_{form}", **said}), flush=True)


if __name__ == "__main__":
    main()
