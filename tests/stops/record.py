"""Records runs that stop: ``python -m tests.stops.record FOLDER [openinference-langchain …]``.

The environment must have the framework and the instrumentation of each named folder, in the
versions of ``tests/fixtures/README.md``.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.pairs.server import ScriptedServer
from tests.stops.script import SLOW, STOPS, Stop
from tests.stops.tellers import TELLERS
from tests.stops.write import write

TIMEOUT_S = 120
Told = dict[str, Any]


def record(folder: str, name: str) -> Told:
    """Run a scenario in one or two processes; return its requests, calls, tool runs and runs."""
    stop = STOPS[name]
    server = ScriptedServer(stop.script.agents)
    told: Told = {"tools": [], "runs": []}
    with tempfile.TemporaryDirectory() as state:
        for _ in range(_processes(folder, stop)):
            said = _child(folder, name, state, server.address)
            told = {key: [*told[key], *said[key]] for key in told}
    server.shutdown()
    server.server_close()
    seen = {"calls": server.calls, "requests": server.telemetry, "port": server.server_port}
    return {**told, **seen, "packages": os.environ.get("STOPS_NODE", "")}


def _processes(folder: str, stop: Stop) -> int:
    """Return 2 if OpenAI's SDK saves the state of the run for another process, otherwise 1."""
    is_handed_out = TELLERS[folder].framework == "openai_agents" and not stop.in_process
    return 2 if is_handed_out else 1


def _child(folder: str, name: str, state: str, address: str) -> Told:
    if TELLERS[folder].framework.endswith(".mjs"):
        command = _node(TELLERS[folder].framework, STOPS[name])
    else:
        command = [sys.executable, "-m", "tests.stops.run", folder, name, state]
    ran = subprocess.run(
        command,
        env={**os.environ, "PAIRS_SERVER": address},
        stdout=subprocess.PIPE,
        timeout=TIMEOUT_S,
        check=True,
    )
    said: Told = json.loads(ran.stdout.decode().splitlines()[-1])
    return said


def _node(script: str, stop: Stop) -> list[str]:
    """Copy the script next to its packages, and return the command that runs it.

    The folder ``STOPS_NODE`` has the packages of ``tests/recipes/js``.
    """
    copied = shutil.copy(Path(__file__).parent / script, os.environ["STOPS_NODE"])
    return ["node", copied, stop.script.agents[0].name, stop.script.question, SLOW]


def main() -> None:
    """Record the runs of the named folders, or of all."""
    root, *asked = sys.argv[1:]
    for folder, teller in TELLERS.items():
        for name in teller.stops if not asked or folder in asked else ():
            said = write(Path(root) / folder, name, record(folder, name))
            print(json.dumps({"capture": f"{folder}/{name}", **said}), flush=True)


if __name__ == "__main__":
    main()
