"""Undoes changes that a sender's settings made to attribute values, before dialects read the spans.

Messages in events become attributes, JSON that was encoded twice is decoded, an unknown operation
name is removed, and so are control characters. A warning reports each kind of lost value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.conventions.event_messages import with_details
from spanloom.core.conventions.operations import OPERATION, unknown_kinds
from spanloom.core.values.attributes import decoded, json_value, may_be_twice
from spanloom.core.values.bounds import FREE_BYTES, legible

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from spanloom.core.model.span import Span

ILLEGIBLE = "{n} values are largely control characters: they are shown without them"
CUT = "{n} values end after exactly {limit} characters: their sender cut them there"
UNKNOWN = "unknown kind: {key} is {text!r} ({n} spans); they were read by what else they report"
MAX_SHOWN, MAX_VALUE = 10, 60
MIN_LIMIT = 128
"""Minimum attribute limit that is assumed; senders set no lower one, which would cut ids."""
MANY = 4
"""Minimum number of different texts of the same length that indicate an unusual limit."""
_USUAL_LIMITS = frozenset(
    {1 << bits for bits in range(7, 18)} | {n * 10**e for n in (1, 2, 4, 5, 8) for e in (2, 3, 4)}
)


class Prepared(NamedTuple):
    """Spans to read, and warnings about lost values."""

    spans: Sequence[Span]
    warnings: Sequence[str]


def prepare(spans: Iterable[Span]) -> Prepared:
    """Return the prepared spans, and a warning for each kind of lost value."""
    whole = [with_details(span) if span.events else span for span in spans]
    values = _values(whole)
    if may_be_twice(values):
        whole = [decoded(span) for span in whole]
        values = _values(whole)
    longest = max(map(len, values), default=0)
    kinds = unknown_kinds([span.attributes for span in whole])
    warnings = [*(_warn_of_kinds(kinds, whole) if kinds else ()), *_warn_of_cuts(values, longest)]
    if longest > FREE_BYTES:
        read = [legible(span) for span in whole]
        whole = [span for span, _ in read]
        if illegible := sum(count for _, count in read):
            warnings.append(ILLEGIBLE.format(n=illegible))
    if any(key == OPERATION for key, _ in kinds):
        whole = [_without_operation(s) if _is_unknown(s, kinds) else s for s in whole]
    return Prepared(whole, warnings)


def _values(spans: Iterable[Span]) -> Sequence[str]:
    """Return all attribute values of the spans and of their events."""
    values: list[str] = []
    for span in spans:
        values += span.attributes.values()
        for event in span.events:
            values += event.attributes.values()
    return values


def _warn_of_kinds(kinds: Collection[tuple[str, str]], spans: Sequence[Span]) -> Sequence[str]:
    counts = {
        (key, text): sum(span.attributes.get(key) == text for span in spans)
        for key, text in sorted(kinds)[:MAX_SHOWN]
    }
    return [
        UNKNOWN.format(key=key, text=text[:MAX_VALUE], n=n) for (key, text), n in counts.items()
    ]


def _is_unknown(span: Span, kinds: Collection[tuple[str, str]]) -> bool:
    return (OPERATION, span.attributes.get(OPERATION, "")) in kinds


def _without_operation(span: Span) -> Span:
    return span._replace(attributes={k: v for k, v in span.attributes.items() if k != OPERATION})


def _warn_of_cuts(values: Sequence[str], limit: int) -> Sequence[str]:
    """Return a warning if the longest values look as if cut off after ``limit`` characters."""
    if limit < MIN_LIMIT:
        return []
    texts = {text for text in values if len(text) == limit}
    if len(texts) < MANY and limit not in _USUAL_LIMITS:
        return []
    cut = sum(map(_looks_cut, texts))
    return [CUT.format(n=cut, limit=limit)] if cut else []


def _looks_cut(text: str) -> bool:
    """Return whether a text is not complete JSON."""
    return json_value(text) is text
