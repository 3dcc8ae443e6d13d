"""Prepare spans for reading: undo what a sender's settings did to their values.

Messages in details events become attributes, JSON that was encoded twice is decoded, an operation
that nobody knows counts as missing, control characters go. What is lost is warned of.
"""

from __future__ import annotations

from collections import Counter
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.conventions.event_messages import with_details
from spanloom.core.conventions.meanings import unknown_kinds
from spanloom.core.values.attributes import decoded, json_value
from spanloom.core.values.bounds import legible

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from spanloom.core.model.span import Span

OPERATION = "gen_ai.operation.name"
ILLEGIBLE = "{n} values are largely control characters: they are shown without them"
CUT = "{n} values end after exactly {limit} characters: their sender cut them there"
UNKNOWN = "unknown kind: {key} is {text!r} ({n} spans); they were read by what else they report"
MAX_SHOWN, MAX_VALUE = 10, 60
MIN_LIMIT = 128
"""Shorter limits would cut names and ids, and nobody sets them."""
_USUAL_LIMITS = frozenset(
    {1 << bits for bits in range(7, 18)} | {n * 10**e for n in (1, 2, 4, 5, 8) for e in (2, 3, 4)}
)


class Prepared(NamedTuple):
    """Spans to read, and what their reader must know."""

    spans: Sequence[Span]
    warnings: Sequence[str]


def prepare(spans: Iterable[Span]) -> Prepared:
    """Return the spans as they are read, with a warning for each kind of loss."""
    read = [legible(decoded(with_details(span))) for span in spans]
    kinds = Counter(kind for span, _ in read for kind in unknown_kinds(span.attributes))
    whole = [span for span, _ in read]
    warnings = [*_warn_of_kinds(kinds), *warn_of_cuts(whole)]
    if illegible := sum(count for _, count in read):
        warnings.append(ILLEGIBLE.format(n=illegible))
    if any(key == OPERATION for key, _ in kinds):
        whole = list(map(_without_unknown_operation, whole))
    return Prepared(whole, warnings)


def _warn_of_kinds(kinds: Counter[tuple[str, str]]) -> Sequence[str]:
    shown = sorted(kinds.items(), key=lambda item: (-item[1], item[0]))[:MAX_SHOWN]
    return [UNKNOWN.format(key=key, text=text[:MAX_VALUE], n=n) for (key, text), n in shown]


def _without_unknown_operation(span: Span) -> Span:
    if not any(key == OPERATION for key, _ in unknown_kinds(span.attributes)):
        return span
    return span._replace(attributes={k: v for k, v in span.attributes.items() if k != OPERATION})


def warn_of_cuts(spans: Sequence[Span]) -> Sequence[str]:
    """Return a line if the longest values have one length and look cut off there."""
    longest = max((len(text) for s in spans for text in s.attributes.values()), default=0)
    in_events = [text for s in spans for e in s.events for text in e.attributes.values()]
    longest = max(longest, max(map(len, in_events), default=0))
    if longest < MIN_LIMIT:
        return []
    values = chain(in_events, *[s.attributes.values() for s in spans])
    texts = {text for text in values if len(text) == longest}
    if len(texts) < 2 and longest not in _USUAL_LIMITS:
        return []
    cut = sum(map(_looks_cut, texts))
    return [CUT.format(n=cut, limit=longest)] if cut else []


def _looks_cut(text: str) -> bool:
    """Return whether a text is no complete JSON."""
    return json_value(text) is text
