"""Recorded runs of coding agents, compared with the ground truth."""

from __future__ import annotations

import copy
import gzip
import json
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, Any

from tests.support.extracting import World
from tests.support.recorded import LATER_S, RECORDED, Document, cases_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

RUNS = RECORDED / "coding_agents"
TOKENS = ("input_tokens", "output_tokens")


def names() -> Sequence[str]:
    """Return the names of all runs."""
    return cases_in(RUNS)


def truth_of(name: str) -> Document:
    """Return the ground truth of a run."""
    found: Document = json.loads((RUNS / f"{name}.expect.json").read_text())
    return found


def sent(name: str, signal: str) -> bytes:
    """Return all requests of a signal as one; empty if there are none."""
    path = RUNS / f"{name}.{signal}.otlp.gz"
    return gzip.decompress(path.read_bytes()) if path.exists() else b""


SIGNALS = ("traces", "logs")


def documents(name: str, signals: Sequence[str] = SIGNALS) -> list[Document]:
    """Return the documents of the runs that are built from the signals, sent in this order."""
    return copy.deepcopy(_built(name, tuple(signals)))


@cache
def _built(name: str, signals: tuple[str, ...]) -> list[Document]:
    world, trace_ids = World(), set[str]()
    for signal in signals:
        if body := sent(name, signal):
            (world.send_message if signal == "traces" else world.send_logs)(body)
            trace_ids |= {change.key.trace_id for change in world.store.progress.unextracted()}
            world.step(LATER_S / 10)
    for _ in range(3):  # related runs are built again when all spans are stored
        world.step(LATER_S)
    found = [world.document(trace_id) for trace_id in sorted(trace_ids)]
    return [d for d in found if d and _is_run(d["extraction"])]


def _is_run(extraction: Document) -> bool:
    counts = extraction["step_counts"]
    return "duplicate_of" not in extraction and any(counts[kind] for kind in _STEPS)


_STEPS = ("agent", "model", "tool")


def faults(name: str, untold: Iterable[str] = ()) -> list[str]:
    """Return a line for each wrong measure of a run, and for each right one in ``untold``.

    Texts are only expected if a signal has them.
    """
    truth, found = truth_of(name), documents(name)
    measured, right = measure(found), _expected(truth)
    raw = sent(name, "traces") + sent(name, "logs")
    for what, key, side in (("asked", "question", "input"), ("answered", "answer", "output")):
        if truth[key] and json.dumps(truth[key], ensure_ascii=False)[1:-1].encode() in raw:
            measured[what], right[what] = truth[key] in _texts(found, side), True
    wrong = {what for what, value in right.items() if measured[what] != value}
    told = [f"{what} is told" for what in untold if what not in wrong]
    return told + [f"{w}: {measured[w]}, right {right[w]}" for w in sorted(wrong - {*untold})]


def _expected(truth: Document) -> Document:
    calls, tools = truth["model_calls"], truth["tools"]
    answered = [c for c in calls if c["status"] == 200 and c["input_tokens"]]
    return {
        "runs": truth.get("runs", 1),
        "models": len(calls),
        "tokens": [sum(call[key] for call in answered) for key in TOKENS],
        "tools": Counter(tool["name"] for tool in tools),
        "failed": sum(not tool["ok"] for tool in tools),
    }


def measure(found: Sequence[Document]) -> Document:
    """Return the numbers of runs, model calls, tokens, tool runs and failed tool runs."""
    models, tools = steps_of(found, "model"), steps_of(found, "tool")
    return {
        "runs": len(found),
        "models": len(models),
        "tokens": [sum(model["model_info"].get(key) or 0 for model in models) for key in TOKENS],
        "tools": Counter(tool["name"] for tool in tools),
        "failed": sum(bool(tool["basic_info"].get("error")) for tool in tools),
    }


def steps_of(found: Iterable[Document], kind: str) -> list[Any]:
    """Return the steps of a kind, in the order of their agents."""
    agents = (agent for document in found for agent in document["agent_steps"])
    return [step for agent in agents for step in agent["steps"] if step["type"] == kind]


def _texts(found: Iterable[Document], side: str) -> str:
    agents = (agent for document in found for agent in document["agent_steps"])
    return " ".join(agent[side] for agent in agents)
