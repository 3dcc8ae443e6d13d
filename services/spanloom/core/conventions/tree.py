"""Find which span ran inside which where reported parents do not show it, and tool loops."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import TYPE_CHECKING

from spanloom.core.model.span import Span
from spanloom.core.model.tree import encloses

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from spanloom.core.conventions.view import TraceView
    from spanloom.core.model.tree import SpanTree

MAX_OPEN = 32
"""Maximum number of open spans that are compared, the last started first; no nesting is deeper."""


def find_innermost(
    spans: Iterable[Span],
    can_hold: Callable[[Span], bool],
    holds: Callable[[Span, Span], bool] = encloses,
) -> Mapping[str, Span]:
    """Return the innermost of ``spans`` whose time encloses each span, by the inner span's id."""
    outer_of: dict[str, Span] = {}
    open_spans: list[Span] = []
    for span in sorted(spans, key=lambda s: (s.start_ns, -s.end_ns, s.span_id)):
        open_spans = [o for o in open_spans[-MAX_OPEN:] if o.end_ns >= span.start_ns]
        outer = next((o for o in reversed(open_spans) if holds(o, span)), None)
        if outer is not None:
            outer_of[span.span_id] = outer
        if can_hold(span):
            open_spans.append(span)
    return outer_of


class OwnTree:
    """Parents and children among the spans of one instrumentation."""

    __slots__ = ("_children", "_parents", "spans")

    def __init__(self, tree: SpanTree, is_own: Callable[[Span], bool]) -> None:
        """Skip spans that are not its own: their children are attached to the nearest own one."""
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
        """Return the nearest ancestor of the same instrumentation."""
        return self._parents.get(span.span_id)

    def children(self, span: Span) -> Sequence[Span]:
        """Return the span's children of the same instrumentation, in order."""
        return self._children.get(span.span_id, ())


MAX_DEPTH = 12
"""Maximum depth of a run's steps: a loop's turn, nested advisors, the call."""

Test = Callable[[Span], bool]


def loops_over_tools(
    run: Span, view: TraceView, is_tool: Test, is_call: Test, offers: Test
) -> bool:
    """Return whether the run is more than a wrapper of one model call.

    ``offers`` returns whether a run or a call had tools to choose from.
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
