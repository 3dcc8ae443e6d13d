"""The steps of a document for display: as a tree, or as numbered lines that group equal steps."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from spanloom.core.document import Document, DocumentStep
from spanloom.core.model.step import NO_CODE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

if TYPE_CHECKING:
    Json = Mapping[str, Any]

_OTHER = "other"


@dataclass(slots=True)
class Node:
    """A step and its child steps, ordered by start."""

    step: DocumentStep
    type: str
    children: list[Node] = field(default_factory=list)
    parent: Node | None = None

    @property
    def start_ms(self) -> int:
        """The step's start, in milliseconds since the epoch."""
        return self.step.started_at

    @property
    def duration_ms(self) -> int:
        """The step's duration in milliseconds."""
        return self.step.duration


def build_tree(document: dict[str, Any]) -> Node:
    """Nest every step under its parent, or else under its owning agent, or else under the root.

    Each step occurs exactly once, even if ids repeat or form cycles.
    """
    view = Document(document)
    root = Node(view.root, view.root_type or _OTHER)
    nodes = {root.step.id: root}
    for agent in view.agents:
        owner = _place(nodes, agent, root)
        for step in agent.steps:
            _place(nodes, step, owner)
    for node in nodes.values():
        if node is not root:
            _adopt(nodes.get(node.step.parent_id), node, root)
    for node in nodes.values():
        node.children.sort(key=lambda child: child.start_ms)
    return root


def _place(nodes: dict[str, Node], step: DocumentStep, owner: Node) -> Node:
    """Add the step's node, or complete it, because an agent may also be a step of another agent."""
    node = nodes.get(step.id)
    if node is None:
        node = nodes[step.id] = Node(step, step.type or _OTHER, parent=owner)
    else:
        node.step = DocumentStep({**step.json, **node.step.json}, node.step.type)
    return node


def _adopt(parent: Node | None, node: Node, root: Node) -> None:
    """Append a node to its parent, or to the root if it would close a cycle."""
    chosen = parent or node.parent or root
    above: Node | None = chosen
    while above is not None and above is not node:
        above = above.parent
    node.parent = root if above is node else chosen
    node.parent.children.append(node)


class Placed(NamedTuple):
    """A step, its number from 1, and the name of the agent that owns it."""

    place: int
    agent: str
    step: DocumentStep

    @property
    def error(self) -> str:
        """The step's error, such as ``429: slow down`` or ``failed``; empty if it did not fail."""
        error = self.step.error
        if error is None:
            return ""
        code = "" if error["code"] == NO_CODE else f"{error['code']}: "
        return f"{code}{error['msg'] or 'failed'}"


def place_steps(document: Json) -> Sequence[Placed]:
    """Return every step, ordered by start time; of equal starts the longest step comes first."""
    owned = sorted(Document(document).steps, key=_start)
    return [Placed(place, step.agent_name, step) for place, step in enumerate(owned, 1)]


def repeated_calls(document: Json, least: int = 3) -> Sequence[tuple[DocumentStep, int]]:
    """Return repeated tool calls, each as its first run and the number of runs.

    Only calls with at least ``least`` runs are returned, most frequent first: a sign of a loop.
    """
    runs = [own.step for own in place_steps(document) if own.step.type == "tool"]
    times = Counter((step.name, step.input) for step in runs)
    first = {(step.name, step.input): step for step in reversed(runs)}
    return [(first[call], number) for call, number in times.most_common() if number >= least]


def outline(steps: Sequence[Placed]) -> Iterator[dict[str, Any]]:
    """Yield one line for each step; equal consecutive steps share a line: ``get_order`` 17 times.

    Steps are equal if type, name, agent and error are equal. Durations (``ms``) are summed. ::

        {"from": 3, "type": "tool", "name": "get_order", "agent": "shop", "ms": 96,
         "to": 19, "times": 17}
    """
    for (kind, name, agent, error), same in groupby(steps, _likeness):
        first, *more = same
        line: dict[str, Any] = {
            "from": first.place,
            "type": kind,
            "name": name,
            "agent": agent,
            "ms": sum(own.step.duration for own in (first, *more)),
        }
        if more:
            line |= {"to": more[-1].place, "times": 1 + len(more)}
        if error:
            line["error"] = error
        yield line


def _likeness(own: Placed) -> tuple[str, str, str, str]:
    step = own.step
    return step.type, step.name, own.agent, own.error


def _start(step: DocumentStep) -> tuple[int, int, str]:
    start_ms, end_ms = step.times
    return start_ms, -end_ms, step.id
