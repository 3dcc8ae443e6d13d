"""Labels each recorded span by its name, and by the times of model calls and tool runs.

No attribute is read. A span name that is in no table raises ``ValueError``.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from tests.pairs.answers import MODEL
from tests.pairs.run import APPLICATION

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tests.pairs.script import Asked, Scenario

_CALL = {"ChatOpenAI", "ChatOpenAI.chat", f"chat {MODEL}", "openai.chat", "ChatCompletion"}
_RETRIEVAL = {
    "HandbookRetriever",
    "vector_db_retrieve HandbookRetriever",
    "retrieval HandbookRetriever",
    "retrieval",
}
_NODES = re.compile(
    r"(execute_task |invoke_agent )?"
    r"(__start__|model|tools|write|pick|spread"
    r"|\w+\.((before|after)_(agent|model)|wrap_(tool|model)_call)"
    r"|RunnableParallel<context,question>|RunnablePassthrough|ChatPromptTemplate|StrOutputParser)"
    r"|create_agent \w+|goto \w+|RunnableSequence(\.workflow)?|invoke_workflow RunnableSequence"
)
"""Span names of an agent's loop, a chain's parts, and agents that are being built."""
_RUN = re.compile(
    r"(?:invoke_agent |invoke_workflow |execute_task |execute_tool )?(\w+?)(?:\.workflow| stream)?"
)
Log = list[dict[str, Any]]


class Recorded(NamedTuple):
    """The data of a span that the labelling uses."""

    span_id: str
    trace_id: str
    parent_id: str
    name: str
    start_ns: int
    end_ns: int


class Label(NamedTuple):
    """The type of a span and the run that it reports; spans with equal ``run`` report one run."""

    type: str
    why: str
    run: tuple[str, object] | None = None
    told: dict[str, Any] = {}  # noqa: RUF012  (never changed)


def label(span: Recorded, script: Scenario, calls: Log, tools: Log) -> Label:
    """Return the label of a span; raises ``ValueError`` for an unknown name."""
    if span.name in _CALL:
        number = call_of(span, calls)
        why = "one call of ChatOpenAI by the script"
        return Label("model", why, ("model", number), {"model_call": number})
    if span.name in _RETRIEVAL:
        return Label("other", "retriever")
    if span.name == APPLICATION or _NODES.fullmatch(span.name):
        return Label("other", "no run of anything in the script")
    return _label_run(span, script, tools)


def _label_run(span: Recorded, script: Scenario, tools: Log) -> Label:
    found = _RUN.fullmatch(span.name)
    name = found[1] if found else ""
    if script.graph and name == script.graph:
        return Label("graph", f"run of the graph {name}", ("graph", name))
    if name in {agent.name for agent in script.agents}:
        return Label("agent", f"run of the agent {name}", ("agent", name))
    if name not in {tool for agent in script.agents for tool in agent.tools}:
        message = f"nobody knows what {span.name!r} is"
        raise ValueError(message)
    number = _tool_of(span, name, tools)
    told = tool_run(tools[number], script)
    return Label("tool", f"run of the tool {name}", ("tool", number), {"tool_call": told})


def tool_run(ran: dict[str, Any], script: Scenario) -> dict[str, Any]:
    """Return the ground truth of a tool run, with the id of the tool call that it answers."""
    asked = next(a for a in _asked(script) if _answers(ran, a))
    return {"name": ran["name"], "tool_call_id": asked.id, "outcome": ran["outcome"]}


def _asked(script: Scenario) -> Iterable[Asked]:
    return (asked for agent in script.agents for said in agent.says for asked in said.tools)


def _answers(ran: dict[str, Any], asked: Asked) -> bool:
    return asked.name == ran["name"] and ran["argument"] in asked.arguments.values()


def call_of(span: Recorded, calls: Log) -> int:
    """Return the number of the longest model call that the server answered during a span."""
    within = [c for c in calls if span.start_ns <= c["from_ns"] and c["to_ns"] <= span.end_ns]
    return int(max(within, key=lambda call: call["to_ns"] - call["from_ns"])["seq"])


def _tool_of(span: Recorded, name: str, tools: Log) -> int:
    """Return the index of the tool's last run that ended within a span; others are shorter."""
    ended = [n for n, t in enumerate(tools) if t["name"] == name and t["to_ns"] <= span.end_ns]
    return max(ended, key=lambda n: tools[n]["to_ns"])


def originals(labels: Sequence[tuple[Recorded, Label]]) -> dict[tuple[str, object], str]:
    """Return the id of the first span that reports each run, by run."""
    found: dict[tuple[str, object], str] = {}
    for span, said in sorted(labels, key=lambda pair: (pair[0].start_ns, pair[0].span_id)):
        if said.run is not None:
            found.setdefault(said.run, span.span_id)
    return found
