"""The spans of a trace as they report their parents: a tree, or several where parents are lost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanloom.core.showing.step_tree import Node

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def build_forest(spans: Sequence[dict[str, Any]]) -> list[Node]:
    """Nest each span under the parent it names; give those whose parent is not there.

    No span is lost or given twice: what turns in a circle is cut at its first span.
    """
    nodes = {str(span.get("span_id")): Node(span, str(span.get("kind"))) for span in spans}
    tops: list[Node] = []
    for node in nodes.values():
        node.parent = nodes.get(node.step.get("parent_span_id") or "")
        (tops if node.parent is None else node.parent.children).append(node)
    reached = _below(tops)
    for node in nodes.values():
        if id(node) not in reached and node.parent is not None:
            node.parent.children.remove(node)
            node.parent = None
            tops.append(node)
            reached |= _below([node])
    return tops


def _below(tops: Iterable[Node]) -> set[int]:
    """Return the identities of these nodes and of all below them."""
    found = list(tops)
    for node in found:
        found.extend(node.children)
    return {id(node) for node in found}
