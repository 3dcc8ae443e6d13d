"""The spans of a trace as they report their parents: a tree, or several where parents are lost."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


@dataclass(slots=True)
class SpanNode:
    """A span with the spans under it."""

    span: dict[str, Any]  # as the API has it
    kind: str
    children: list[SpanNode] = field(default_factory=list)
    parent: SpanNode | None = None


def build_forest(spans: Sequence[dict[str, Any]]) -> list[SpanNode]:
    """Nest each span under the parent it names; give those whose parent is not there.

    No span is lost or given twice: what turns in a circle is cut at its first span.
    """
    nodes = {str(span.get("span_id")): SpanNode(span, str(span.get("kind"))) for span in spans}
    tops: list[SpanNode] = []
    for node in nodes.values():
        node.parent = nodes.get(node.span.get("parent_span_id") or "")
        (tops if node.parent is None else node.parent.children).append(node)
    reached = _below(tops)
    for node in nodes.values():
        if id(node) not in reached and node.parent is not None:
            node.parent.children.remove(node)
            node.parent = None
            tops.append(node)
            reached |= _below([node])
    return tops


def _below(tops: Iterable[SpanNode]) -> set[int]:
    """Return the identities of these nodes and of all below them."""
    found = list(tops)
    for node in found:
        found.extend(node.children)
    return {id(node) for node in found}
