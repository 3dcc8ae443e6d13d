"""Which span ran inside which, where the reported parents do not say, and loops over tools."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import TYPE_CHECKING

from spanloom.core.model.span import Span
from spanloom.core.model.timing import encloses

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from spanloom.core.conventions.view import TraceView
    from spanloom.core.model.tree import SpanTree


MAX_OPEN = 32
"""How many spans at once are looked at, the last started first: none runs deeper by nesting."""


def find_innermost(
    spans: Iterable[Span],
    can_hold: Callable[[Span], bool],
    holds: Callable[[Span, Span], bool] = encloses,
) -> Mapping[str, Span]:
    """Return, by span id, the span among ``spans`` in whose time each ran; the innermost."""
    found: dict[str, Span] = {}
    open_spans: list[Span] = []
    for span in sorted(spans, key=lambda s: (s.start_ns, -s.end_ns, s.span_id)):
        open_spans = [o for o in open_spans[-MAX_OPEN:] if o.end_ns >= span.start_ns]
        outer = next((o for o in reversed(open_spans) if holds(o, span)), None)
        if outer is not None:
            found[span.span_id] = outer
        if can_hold(span):
            open_spans.append(span)
    return found


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


MAX_DEPTH = 12
"""How far below a run its steps may stand: a loop's turn, advisors in one another, the call."""

Test = Callable[[Span], bool]


def loops_over_tools(
    run: Span, view: TraceView, is_tool: Test, is_call: Test, offers: Test
) -> bool:
    """Return whether the run is more than a wrapper of one call.

    ``offers`` says of a run or a call whether it had tools to choose from.
    """
    calls = 0
    level = [run]
    for _ in range(MAX_DEPTH):
        if any(map(offers, level)):
            return True
        level = [child for span in level for child in view.tree.children(span)]
        if any(map(is_tool, level)):
            return True
        calls += sum(map(is_call, level))
        if calls > 1:
            return True
    return False
