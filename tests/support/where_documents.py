"""The example queries of the documentation as simple loops over canonical documents."""

from __future__ import annotations

from itertools import combinations, groupby, pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    Document = dict[str, Any]

Step = dict[str, Any]


def flat(document: Document) -> list[Step]:
    """Return every step once, ordered by start, then the longest first."""
    steps = [{**document["root_step"], "type": "agent", "owner": None, "parent_id": ""}]
    for agent in document["agent_steps"]:
        steps += [{**step, "owner": agent["name"]} for step in agent["steps"]]
    return sorted(steps, key=lambda s: (_start(s), -_start(s) - _duration(s), s["id"]))


def _start(step: Step) -> int:
    return int(step["basic_info"]["started_at"])


def _duration(step: Step) -> int:
    return int(step["basic_info"]["duration"])


def _failed(step: Step) -> bool:
    return "error" in step["basic_info"]


def _is(kind: str, name: str) -> Callable[[Step], bool]:
    return lambda step: step["type"] == kind and step["name"] == name


def _pairs(document: Document) -> Iterator[tuple[Step, Step, int]]:
    """Yield every ordered pair of steps, and the distance between their positions."""
    for (i, before), (j, after) in combinations(enumerate(flat(document)), 2):
        yield before, after, j - i


def _then(document: Document, first: Callable[[Step], bool], last: Callable[[Step], bool]) -> bool:
    return any(first(before) and last(after) for before, after, _ in _pairs(document))


def _above(document: Document, step: Step) -> Iterator[Step]:
    by_id = {step["id"]: step for step in flat(document)}
    while (step := by_id.get(step["parent_id"], {})) != {}:
        yield step


def _agents(document: Document) -> set[str]:
    return {step["name"] for step in flat(document) if step["type"] == "agent"}


def _longest_repeat(document: Document) -> int:
    calls = [(s["name"], s["input"]) for s in flat(document) if s["type"] == "tool"]
    return max((len(list(same)) for _, same in groupby(calls)), default=0)


def _repeated_calls(document: Document) -> int:
    calls = [(s["name"], s["input"]) for s in flat(document) if s["type"] == "tool"]
    return sum(one == before for before, one in pairwise(calls))


def _failed_for_good(document: Document) -> bool:
    return any(not error["recovered"] for error in document["extraction"]["errors"])


def _costly_in_production(document: Document) -> bool:
    extraction = document["extraction"]
    usd = extraction.get("cost", {}).get("usd")
    return usd is not None and usd > 0.5 and extraction.get("environment") == "production"


LOOPS: Mapping[str, Callable[[Document], bool]] = {
    'has_error and duration > 20s and (agent = "refunds" or input_tokens >= 5000)': lambda d: (
        _failed_for_good(d)
        and _duration(d["root_step"]) > 20_000
        and ("refunds" in _agents(d) or d["root_step"]["metrics_info"]["input_tokens"] >= 5000)
    ),
    'has(tool = "search" then tool = "refund")': lambda d: _then(
        d, _is("tool", "search"), _is("tool", "refund")
    ),
    'not has(tool = "verify" then tool = "refund")': lambda d: (
        not _then(d, _is("tool", "verify"), _is("tool", "refund"))
    ),
    'has(tool = "get_order" within 3 error)': lambda d: any(
        _is("tool", "get_order")(before) and _failed(after) and apart <= 3
        for before, after, apart in _pairs(d)
    ),
    'has(tool = "检索" next type = model)': lambda d: any(
        _is("tool", "检索")(before) and after["type"] == "model" and apart == 1
        for before, after, apart in _pairs(d)
    ),
    "longest_repeat >= 3": lambda d: _longest_repeat(d) >= 3,
    "repeated_calls >= 2": lambda d: _repeated_calls(d) >= 2,
    'has(agent = "refunds" child of agent = "triage")': lambda d: any(
        _is("agent", "refunds")(step) and _is("agent", "triage")(above)
        for step in flat(d)
        for above in list(_above(d, step))[:1]
    ),
    'has(tool = "search" under agent = "退款助手")': lambda d: any(
        _is("tool", "search")(step) and _is("agent", "退款助手")(above)
        for step in flat(d)
        for above in _above(d, step)
    ),
    "count(type = tool and error) >= 2": lambda d: (
        sum(step["type"] == "tool" and _failed(step) for step in flat(d)) >= 2
    ),
    'has(owner = "refunds" and type = model and duration > 2s)': lambda d: any(
        s["owner"] == "refunds" and s["type"] == "model" and _duration(s) > 2000 for s in flat(d)
    ),
    'has(error_message ~ "rate limit" and error_code = 429)': lambda d: any(
        _failed(s)
        and "rate limit" in s["basic_info"]["error"]["msg"]
        and s["basic_info"]["error"]["code"] == 429
        for s in flat(d)
    ),
    'cost > 0.5 and environment = "production"': _costly_in_production,
    'has(metadata.tier = "金" and position = 1)': lambda d: any(
        step["metadata"].get("tier") == "金" for step in flat(d)[1:2]
    ),
}
"""Each query, with the equivalent predicate on a document."""


def found(question: str, documents: Sequence[Document]) -> set[str]:
    """Return the traces of the documents that match a query."""
    return {document["id"] for document in documents if LOOPS[question](document)}
