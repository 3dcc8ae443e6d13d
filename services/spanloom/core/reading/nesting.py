"""Which span ran inside which, told by time where the reported parents do not tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.model.timing import encloses

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from spanloom.core.model.span import Span

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
