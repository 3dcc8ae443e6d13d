"""The tree as one instrumentation told it: without the spans of others that stand in between.

Two instrumentations in one process nest in each other, span by span: OpenLIT's nodes stand below
Traceloop's run of the agent, and that below OpenLIT's. What a rule says of a span's parent or
children it says of those that the same instrumentation reports.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spanloom.core.model.span import Span
    from spanloom.core.model.tree import SpanTree


class OwnTree:
    """Parents and children among the spans of one instrumentation."""

    __slots__ = ("_children", "_parents", "spans")

    def __init__(self, tree: SpanTree, is_own: Callable[[Span], bool]) -> None:
        """Leave out what is not its own; the nearest one above takes its place."""
        self._parents: dict[str, Span] = {}
        self._children: defaultdict[str, list[Span]] = defaultdict(list)
        self.spans: Sequence[Span] = [span for span in tree.spans if is_own(span)]
        own = {span.span_id for span in self.spans}
        for span in tree.top_down:
            above = tree.parent(span)
            if above is not None and above.span_id not in own:
                above = self._parents.get(above.span_id)
            if above is not None:
                self._parents[span.span_id] = above
        for span in self.spans:
            if (parent := self._parents.get(span.span_id)) is not None:
                self._children[parent.span_id].append(span)

    def parent(self, span: Span) -> Span | None:
        """Return the nearest span above that is its own."""
        return self._parents.get(span.span_id)

    def children(self, span: Span) -> Sequence[Span]:
        """Return those whose parent this one is, in order."""
        return self._children.get(span.span_id, ())
