"""Recorded runs over MCP and A2A, whose documents are compared with their scripts."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

from tests.support.recorded import RECORDED, Document, all_documents, cases_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

RUNS = RECORDED / "mcp"


def names() -> Sequence[str]:
    """Return the names of all runs."""
    return cases_in(RUNS)


def documents(name: str) -> list[Document]:
    """Return the documents of a run's traces except duplicates of others."""
    every = all_documents(RUNS / f"{name}.otlp.gz")
    return [document for document in every if "duplicate_of" not in document["extraction"]]


def faults(name: str) -> list[str]:
    """Return a line for each measure of a run that is wrong."""
    truth = json.loads((RUNS / f"{name}.expect.json").read_text())
    found = documents(name)
    measured, right = _measure(found), _expected(truth)
    accepted = truth.get("accept", {})
    if not sum(truth["failed"].values()):
        measured["failures"], right["failures"] = _failures(found), 0
    return [
        f"{what}: {measured[what]}, right {value}"
        for what, value in right.items()
        if measured[what] != value
        and what not in truth.get("untold", ())
        and not _is_accepted(measured[what], value, accepted.get(what, ()))
    ]


def _is_accepted(measured: Any, right: Any, accepted: Sequence[int]) -> bool:
    if isinstance(right, Counter):
        return set(measured) == set(right) and sum(measured.values()) in accepted
    return measured in accepted


def _expected(truth: Document) -> Document:
    calls, failed = truth["model_calls"], truth["failed"]
    return {
        "model calls": calls["n"],
        "tokens of runs": [calls["input_tokens"], calls["output_tokens"]],
        "tools": Counter(tool["name"] for tool in truth["tools"]),
        "agents": Counter(truth["agents"]),
        "failed_tools": failed["tool"],
        "failed_models": failed["model"],
        "runs": truth["runs"],
    }


def _measure(found: Sequence[Document]) -> Document:
    models, tools = _steps(found, "model"), _steps(found, "tool")
    metrics = [document["root_step"]["metrics_info"] for document in found]
    return {
        "model calls": len(models),
        "tokens of runs": [sum(m[key] for m in metrics) for key in TOKENS],
        "tools": Counter(step["name"] for step in tools),
        "agents": Counter(_agents(found)),
        "failed_tools": _failed(tools),
        "failed_models": _failed(models),
        "runs": sum(map(_has_steps, found)),
    }


TOKENS = ("input_tokens", "output_tokens")


def _steps(found: Iterable[Document], kind: str) -> list[Document]:
    agents = (agent for document in found for agent in document["agent_steps"])
    return [step for agent in agents for step in agent["steps"] if step["type"] == kind]


def _agents(found: Iterable[Document]) -> list[str]:
    """Return the names of all agents, without a root that only holds steps."""
    return [
        agent["name"]
        for document in found
        for agent in document["agent_steps"]
        if agent["id"] != document["root_step"]["id"]
        or document["extraction"]["root_type"] == "agent"
    ]


def _failed(steps: Iterable[Document]) -> int:
    return sum(bool(step["basic_info"].get("error")) for step in steps)


def _failures(found: Iterable[Document]) -> int:
    return sum(len(document["extraction"].get("errors", ())) for document in found)


def _has_steps(document: Document) -> bool:
    counts = document["extraction"]["step_counts"]
    return any(counts[kind] for kind in ("agent", "model", "tool"))
