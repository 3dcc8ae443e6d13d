"""Inputs written from public reports, and checks of their documents."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.support.recorded import Document, built, cases_in

from spanloom.collector.doors.otlp.json import decode_traces
from spanloom.collector.intake.limits import Limits

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


WILD = Path(__file__).parents[1] / "fixtures" / "wild"


def names() -> Sequence[str]:
    """Return the names of all inputs."""
    return cases_in(WILD)


def faults(name: str) -> list[str]:
    """Return a line for each check of an input that does not hold."""
    case = json.loads((WILD / f"{name}.expect.json").read_text())
    documents = extract_documents(name, case["traces"])
    found = []
    for check in case["checks"]:
        got = look_up(views(documents[check.get("trace", 0)]), check["path"].split("."))
        if not holds(check, got):
            found.append(f"{check}: {got!r}")
    return found


def messages(name: str) -> Sequence[bytes]:
    """Return the requests of an input as OTLP messages."""
    return [decode_traces(json.dumps(request).encode(), Limits()) for request in _sent(name)]


def _sent(name: str) -> Sequence[Document]:
    """Return the requests of an input, whose file has one or a list of them."""
    sent = json.loads((WILD / f"{name}.json").read_text())
    return sent if isinstance(sent, list) else [sent]


def wild_documents(name: str) -> list[Document]:
    """Return the documents of an input's traces, in the order in which their spans are sent."""
    traces = [
        span["traceId"]
        for request in _sent(name)
        for resource in request["resourceSpans"]
        for scope in resource["scopeSpans"]
        for span in scope["spans"]
    ]
    return extract_documents(name, list(dict.fromkeys(traces)))


def steps_of(document: Document, kind: str) -> list[Document]:
    """Return the steps of a type below the root, by start."""
    found = {s["id"]: s for a in document["agent_steps"] for s in a["steps"] if s["type"] == kind}
    return sorted(found.values(), key=lambda s: (int(s["basic_info"]["started_at"]), s["id"]))


def extract_documents(name: str, trace_ids: Sequence[str]) -> list[Document]:
    """Return the documents of an input's traces."""
    world = built(messages(name))
    return [world.document(trace_id) for trace_id in trace_ids]


def views(document: Document) -> dict[str, Any]:
    """Return the parts of a document that the checks inspect."""
    steps = {step["id"]: step for agent in document["agent_steps"] for step in agent["steps"]}
    by_start = sorted(steps.values(), key=_by_start)
    agents = document["agent_steps"]
    return {
        "models": [s for s in by_start if s["type"] == "model"],
        "tools": [s for s in by_start if s["type"] == "tool"],
        "agents": [a for a in agents if not a["metadata"].get("rule", "").startswith("fallback.")],
        "root": document["root_step"],
        "extraction": document["extraction"],
    }


def look_up(value: Any, path: Sequence[str]) -> Any:
    """Return the value at the path; ``None`` if there is none."""
    for part in path:
        if part == "length":
            value = len(value or [])
        elif part in ("names", "types"):
            value = [item[part[:-1]] for item in value]
        else:
            value = _member(parsed(value), part)
    return value


def holds(check: Document, got: Any) -> bool:
    """Return whether the value is as expected."""
    text = got if isinstance(got, str) else json.dumps(got, ensure_ascii=False)
    if "eq" in check:
        return bool(check["eq"] in (got, parsed(got)))
    if got is None:
        return "ne" in check and check["ne"] is not None
    tests: dict[str, Callable[[Any], object]] = {
        "ne": lambda want: got != want,
        "near": lambda want: abs(float(got) - want) <= check["tol"],
        "ge": lambda want: float(got) >= want,
        "contains": lambda want: want in text,
        "lacks": lambda want: want not in text,
        "starts": text.startswith,
        "has": lambda want: want.items() <= got.items(),
    }
    (kind,) = check.keys() & tests.keys()
    return bool(tests[kind](check[kind]))


def parsed(value: Any) -> Any:
    """Return the parsed value of a JSON text, or any other value unchanged."""
    try:
        return json.loads(value) if isinstance(value, str) else value
    except ValueError:
        return value


def _member(value: Any, part: str) -> Any:
    if isinstance(value, list):
        return value[int(part)] if part.isdecimal() and int(part) < len(value) else None
    return value.get(part) if isinstance(value, dict) else None


def _by_start(step: Document) -> tuple[int, int]:
    info = step["basic_info"]
    return int(info["started_at"]), -int(info["duration"])
