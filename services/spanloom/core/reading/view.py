"""What a dialect sees of the trace around a span."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spanloom.core.model.span import Span
    from spanloom.core.model.tree import SpanTree

T = TypeVar("T")


class TraceView:
    """The trace around a span, with a memory for what rules work out about its spans."""

    __slots__ = ("_families", "_memory", "tree")

    def __init__(self, tree: SpanTree) -> None:
        """See one trace; the memory lives as long as its extraction."""
        self.tree = tree
        self._memory: dict[tuple[Callable[[Span], object], str], object] = {}
        self._families: dict[tuple[Callable[[Sequence[Span]], object], str], object] = {}

    def remember(self, read: Callable[[Span], T], span: Span) -> T:
        """Return ``read(span)``, worked out once for each span of the trace."""
        key = (read, span.span_id)
        if key not in self._memory:
            self._memory[key] = read(span)
        return self._memory[key]  # type: ignore[return-value]  # keyed by the function that made it

    def remember_children(self, read: Callable[[Sequence[Span]], T], parent: Span) -> T:
        """Return ``read(children of parent)``, worked out once for each parent."""
        key = (read, parent.span_id)
        if key not in self._families:
            self._families[key] = read(self.tree.children(parent))
        return self._families[key]  # type: ignore[return-value]  # keyed by the function that made it
