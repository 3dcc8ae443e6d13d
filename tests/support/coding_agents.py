"""Recorded runs of coding agents, and whether their runs have what truly happened."""

from __future__ import annotations

import gzip
import json
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

from tests.support.extracting import World
from tests.support.recorded import RECORDED, Document, cases_in

from spanloom.core.formats.canonical import encode_document
from spanloom.core.model.span import TraceKey
from spanloom.core.model.trajectory import Status
from spanloom.extractor.extract import extract

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from spanloom.core.model.span import Span
    from spanloom.core.model.trajectory import Trajectory

RUNS = RECORDED / "coding_agents"
TOKENS = ("input_tokens", "output_tokens")
FRAGMENT = ".fragment"
"""The end of the rule of a root whose trace is a part of a run."""


def names() -> Sequence[str]:
    """Return the names of all runs."""
    return cases_in(RUNS)


def truth_of(name: str) -> Document:
    """Return what happened in a run."""
    found: Document = json.loads((RUNS / f"{name}.expect.json").read_text())
    return found


def stored_spans(name: str) -> Mapping[TraceKey, Sequence[Span]]:
    """Return the spans of a run's traces as they are stored."""
    world = World()
    for signal, send in (("traces", world.send_message), ("logs", world.send_logs)):
        if body := sent(name, signal):
            send(body)
    return world.store.spans.read_spans([c.key for c in world.store.progress.unextracted()])


def sent(name: str, signal: str) -> bytes:
    """Return all requests of a signal as one; empty if there are none."""
    path = RUNS / f"{name}.{signal}.otlp.gz"
    return gzip.decompress(path.read_bytes()) if path.exists() else b""


def runs(traces: Mapping[TraceKey, Sequence[Span]]) -> list[Trajectory]:
    """Return the runs in the traces of one session with one prompt: all fragments are one."""
    parts: defaultdict[str, list[Span]] = defaultdict(list)
    whole: list[Trajectory] = []
    for key, spans in sorted(traces.items()):
        trajectory = extract(key, spans)
        if rule_of_root(trajectory).endswith(FRAGMENT):
            parts[str(trajectory.extras.get("conversation_id"))] += spans
        else:
            whole.append(trajectory)
    key = TraceKey("default", "00" * 16)
    joined = [extract(key, spans) for spans in parts.values()]
    return [t for t in (*whole, *joined) if any(t.step_counts[k] for k in _STEPS)]


_STEPS = ("agent", "model", "tool")


def rule_of_root(trajectory: Trajectory) -> str:
    """Return the name of the rule that classified the root."""
    return next(v.rule for v in trajectory.verdicts if v.span_id == trajectory.root.id)


def documents(name: str) -> list[Document]:
    """Return the documents of a recorded run."""
    return [_document(trajectory) for trajectory in runs(stored_spans(name))]


def _document(trajectory: Trajectory) -> Document:
    found: Document = json.loads(bytes(encode_document(trajectory, 1, Status.SETTLED)))
    return found


def faults(name: str, untold: Iterable[str] = ()) -> list[str]:
    """Return a line for each measure of a run that is wrong, and for each untold one that is right.

    Texts are only expected where something that was sent has them.
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
        "runs": 1,
        "models": len(calls),
        "tokens": [sum(call[key] for call in answered) for key in TOKENS],
        "tools": Counter(tool["name"] for tool in tools),
        "failed": sum(not tool["ok"] for tool in tools),
    }


def measure(found: Sequence[Document]) -> Document:
    """Return how many runs, calls, tokens, tools and failed tools documents have."""
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
