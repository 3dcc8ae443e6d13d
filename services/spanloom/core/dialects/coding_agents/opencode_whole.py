"""Finds opencode's span of a whole run."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.model.span import Span

OPENCODE = "opencode"
"""Scope of opencode's spans."""
_WHOLE = "SessionPrompt.prompt"
"""Name of opencode's span of a whole run."""
_PARTS = frozenset({"LLM.run", "SessionProcessor.process", "Tool.execute", "ai.streamText"})


def lacks_whole(spans: Sequence[Span]) -> bool:
    """Return whether opencode sent spans of a run, but no span of the whole run around them."""
    own = {span.span_id: span for span in spans if span.scope_name == OPENCODE}
    parts = [span for span in own.values() if span.name in _PARTS]
    known: dict[str, bool] = {}
    return any(not _is_inside_whole(part, own, known) for part in parts)


def _is_inside_whole(span: Span, by_id: dict[str, Span], known: dict[str, bool]) -> bool:
    """Return whether a span is in a whole run; cache the result in ``known`` for its ancestors."""
    path: list[str] = []
    while span.span_id not in known:
        known[span.span_id] = span.name == _WHOLE
        path.append(span.span_id)
        if span.name != _WHOLE:
            span = by_id.get(span.parent_span_id, span)
    found = known[span.span_id]
    known.update(dict.fromkeys(path, found))
    return found


def only_whole(spans: Sequence[Span]) -> Span | None:
    """Return opencode's span of the whole run; ``None`` unless exactly one is outermost.

    Other topmost spans are requests to opencode's server, whose parent is never sent.
    """
    own = {span.span_id: span for span in spans if span.scope_name == OPENCODE}
    runs = [span for span in own.values() if span.name == _WHOLE]
    known: dict[str, bool] = {}
    outer = [
        run
        for run in runs
        if (above := own.get(run.parent_span_id)) is None or not _is_inside_whole(above, own, known)
    ]
    return outer[0] if len(outer) == 1 else None
