"""Checks the nodes of a trace, and lists them in order, each with the kind of its step."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from spanloom.core.errors import InvalidRequestError
from spanloom.core.exchange.drafts import MAX_STEPS
from spanloom.core.exchange.snorkel.nodes import (
    EXPAND,
    METADATA,
    TYPE,
    VALUE,
    check_node,
    substeps_of,
)
from spanloom.core.formats.json_bytes import as_text
from spanloom.core.model.trajectory import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanloom.core.formats.json_bytes import Json

_HEARD = "USER_MESSAGE"
_MODELS = frozenset({"AI_RESPONSE", "MODEL"})
_LONGEST_S = 10**9


@dataclass(slots=True)
class Node:
    """A node of a Snorkel trace."""

    json: Json
    where: str
    above: Node | None
    """The nearest ancestor that is a step; ``None`` for the root."""
    kind: Kind | None
    """The kind of the step; ``None`` for a user's message, which is not a step."""
    agent: str
    """``metadata.agent`` of the nearest node that has one."""
    id: str = ""
    children: list[Node] = field(default_factory=list)
    input: str = ""
    start_ms: int = 0

    @property
    def metadata(self) -> Json:
        """The node's metadata."""
        return self.json[METADATA]  # type: ignore[no-any-return]  # as it was checked

    @property
    def expanded(self) -> dict[str, str]:
        """The node's ``metadata_expand``."""
        return self.json.get(EXPAND) or {}

    @property
    def output(self) -> str:
        """The node's value as text."""
        return as_text(self.json.get(VALUE))

    @property
    def steps(self) -> Iterator[Node]:
        """The children that are steps; a user's message is replaced by its own children."""
        waiting = self.children[::-1]
        while waiting:
            node = waiting.pop()
            if node.kind is None:
                waiting += node.children[::-1]
            else:
                yield node


def walk(trace: Json) -> tuple[Sequence[Node], int]:
    """Return the checked nodes in the order of the trace, and its depth."""
    root = Node(trace, "", None, Kind.OTHER, agent_in(trace))
    found, deepest = [root], 1
    waiting = [(one, where, root, root, 2) for one, where in substeps_of(trace, "")][::-1]
    while waiting:
        value, where, parent, above, depth = waiting.pop()
        json_ = check_node(value, where)
        node = Node(json_, where, above, _kind_of(json_, parent), agent_in(json_) or parent.agent)
        parent.children.append(node)
        found.append(node)
        if len(found) > MAX_STEPS:
            raise InvalidRequestError(f"it has more than {MAX_STEPS:,} steps")
        deepest = max(deepest, depth)
        step = above if node.kind is None else node
        below = substeps_of(json_, where)
        waiting += [(one, place, node, step, depth + 1) for one, place in below][::-1]
    return found, deepest


def agent_in(node: Json) -> str:
    """Return the agent that a node names; empty if it names none."""
    agent = node[METADATA].get("agent")
    return agent if isinstance(agent, str) else ""


def _kind_of(node: Json, parent: Node) -> Kind | None:
    type_, agent = node[TYPE].upper(), agent_in(node)
    if type_ == _HEARD:
        return None
    if type_ in _MODELS:
        return Kind.MODEL
    if type_.startswith("TOOL") or "RETRIEVAL" in type_:
        return Kind.TOOL
    if type_.startswith("AGENT"):
        return Kind.AGENT
    if type_ != Kind.GRAPH.upper() and agent and agent != parent.agent:
        return Kind.AGENT
    return Kind.GRAPH


def duration_of(node: Node) -> int | None:
    """Return the duration of a node in milliseconds; ``None`` if unknown."""
    latency = number_of(node.metadata.get("latency"))
    return None if latency is None or latency > _LONGEST_S else round(latency * 1_000)


def number_of(value: Any) -> float | None:  # any JSON value
    """Return a number that is not negative; ``None`` for any other value."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return value if is_number and value >= 0 else None
