"""From the flat document back to the tree of steps."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from spanloom.core.showing.values import whole


@dataclass(slots=True)
class Node:
    """A step with the steps under it, in order of their start."""

    step: dict[str, Any]  # as the document has it
    type: str
    children: list[Node] = field(default_factory=list)
    parent: Node | None = None

    @property
    def start_ms(self) -> int:
        """When it began, in milliseconds since the epoch."""
        return whole((self.step.get("basic_info") or {}).get("started_at"))

    @property
    def duration_ms(self) -> int:
        """How long it ran."""
        return whole((self.step.get("basic_info") or {}).get("duration"))


def build_tree(document: dict[str, Any]) -> Node:
    """Nest every step under its parent, else under the agent that owns it, else under the root.

    No step is lost or shown twice, whatever the ids say.
    """
    extraction = document.get("extraction") or {}
    root = Node(document.get("root_step") or {}, extraction.get("root_type", "other"))
    nodes = {root.step.get("id", ""): root}
    for agent in document.get("agent_steps") or []:
        owner = _place(nodes, agent, "agent", root)
        for step in agent.get("steps") or []:
            _place(nodes, step, step.get("type", "other"), owner)
    for node in nodes.values():
        if node is not root:
            _adopt(nodes.get(node.step.get("parent_id", "")), node, root)
    for node in nodes.values():
        node.children.sort(key=lambda child: child.start_ms)
    return root


def _place(nodes: dict[str, Node], step: dict[str, Any], kind: str, owner: Node) -> Node:
    """Make the step's node, or add to it: an agent is also a step of the agent above it."""
    node = nodes.get(step.get("id", ""))
    if node is None:
        node = nodes[step.get("id", "")] = Node(step, kind, parent=owner)
    else:
        node.step = {**step, **node.step}
    return node


def _adopt(parent: Node | None, node: Node, root: Node) -> None:
    """Hang a node under its parent; one that would close a circle goes under the root."""
    chosen = parent or node.parent or root
    above: Node | None = chosen
    while above is not None and above is not node:
        above = above.parent
    node.parent = root if above is node else chosen
    node.parent.children.append(node)
