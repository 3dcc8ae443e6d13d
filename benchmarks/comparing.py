"""The cost of comparing the behaviour of two sets of runs, from parsed documents."""

from __future__ import annotations

import time
from random import Random
from typing import TYPE_CHECKING, Any

from benchmarks.apart import run_apart
from benchmarks.report import Row, at_most
from spanloom.evaluation.comparison.behaviour import behaviour
from spanloom.memory import favour_speed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from benchmarks.scale import Scale

MAX_CPU_S = 5
"""Limit for two sets of 10,000 runs."""
_TOOLS = ("search", "book", "pay", "mail")
_START_MS = 1_700_000_000_000


def measure_comparing(scale: Scale, _folder: Path) -> Iterator[Row]:
    """Yield a row for two sets of runs; some runs of the second set have an additional step."""
    cpu_s = run_apart(compare, scale.compared_runs)
    bar, behind = at_most(MAX_CPU_S, "CPU-s"), "documents parsed before; 2 to 10 steps a run"
    yield Row(f"two sets of {scale.compared_runs:,} runs compared", cpu_s, bar, behind)


def compare(runs: int) -> float:
    """Return the CPU-seconds of one comparison, with the memory settings of the service."""
    favour_speed()
    random = Random(5)  # the same runs in each measurement
    before = [make_run(f"a{n}", random, verifies=False) for n in range(runs)]
    after = [make_run(f"b{n}", random, verifies=random.random() < 0.05) for n in range(runs)]
    start = time.process_time()
    found = behaviour(before, after)
    used_s = time.process_time() - start
    assert found["a"]["runs"] == runs, found["a"]
    return used_s


def make_run(run: str, random: Random, *, verifies: bool) -> dict[str, Any]:
    """Return the document of a run that calls some tools; ``verifies`` adds a call before `pay`."""
    names = [("model", "chat")]
    for tool in random.sample(_TOOLS, random.randint(1, len(_TOOLS))):
        names += [("tool", "verify")] * (verifies and tool == "pay")
        names += [("tool", tool), ("model", "chat")]
    steps = [_step(run, at, *name, random) for at, name in enumerate(names)]
    root = {
        "id": run,
        "name": "agent",
        "input": "",
        "output": "",
        "basic_info": {
            "started_at": str(_START_MS),
            "duration": str(int(random.expovariate(1 / 1000)) + 10 * len(steps)),
        },
        "metrics_info": {
            "llm_duration": str(random.randint(1, 900)),
            "tool_duration": "9",
            "input_tokens": random.randint(1, 1000),
            "output_tokens": 3,
        },
    }
    outcome = random.choice(("ok", "ok", "ok", "failed"))
    about = {"root_type": "agent", "outcome": outcome, "cost": {"usd": random.random()}}
    agent = {**root, "parent_id": "", "steps": steps}
    return {"id": run, "root_step": root, "agent_steps": [agent], "extraction": about}


def _step(run: str, at: int, kind: str, name: str, random: Random) -> dict[str, Any]:
    failed = {"error": {"code": 429, "msg": "slow down"}} if random.random() < 0.02 else {}
    return {
        "id": f"{run}-{at}",
        "parent_id": run,
        "type": kind,
        "name": name,
        "input": str(random.randint(1, 5)),
        "output": "",
        "basic_info": {"started_at": str(_START_MS + 10 * at), "duration": "9", **failed},
    }
