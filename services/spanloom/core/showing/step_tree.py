"""Rebuilds the tree of steps from a flat document."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from spanloom.core.document import Document, DocumentStep

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
        """Its start, in milliseconds since the epoch."""
        return self.step.started_at

    @property
    def duration_ms(self) -> int:
        """Its duration in milliseconds."""
        return self.step.duration


def build_tree(document: dict[str, Any]) -> Node:
    """Nest every step under its parent, else under the agent that owns it, else under the root.

    Each step occurs exactly once, whatever its ids.
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
    """Add the step's node, or extend it: an agent is also a step of the agent above it."""
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
