"""Which span ran inside which, told by time where the reported parents do not tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from spanloom.core.model.span import Span

MAX_OPEN = 32
"""How many spans at once are looked at, the last started first: none runs deeper by nesting."""


def encloses(outer: Span, inner: Span) -> bool:
    """Whether ``inner`` ran within the time of ``outer``, which lasted longer."""
    within = outer.start_ns <= inner.start_ns and inner.end_ns <= outer.end_ns
    return within and (outer.start_ns, outer.end_ns) != (inner.start_ns, inner.end_ns)


def find_innermost(spans: Iterable[Span], can_hold: Callable[[Span], bool]) -> Mapping[str, Span]:
    """Give, by span id, the span among ``spans`` in whose time each ran; the innermost."""
    found: dict[str, Span] = {}
    open_spans: list[Span] = []
    for span in sorted(spans, key=lambda s: (s.start_ns, -s.end_ns, s.span_id)):
        open_spans = [o for o in open_spans[-MAX_OPEN:] if o.end_ns >= span.start_ns]
        outer = next((o for o in reversed(open_spans) if encloses(o, span)), None)
        if outer is not None:
            found[span.span_id] = outer
        if can_hold(span):
            open_spans.append(span)
    return found
