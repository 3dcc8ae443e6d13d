"""Warnings about attributes that no dialect reads: tokens, messages, a model, an unknown scope.

Only spans of generic dialects, spans from which a dialect reads nothing, and model calls without
token counts are checked. On other spans the dialect reads all relevant attributes of its library.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from spanloom.core.conventions.endings import keys_read
from spanloom.core.conventions.scopes import warn_of_unknown_scopes
from spanloom.core.conventions.unread_keys import is_text
from spanloom.core.conventions.usage import EVIDENCE, count_keys, total_key
from spanloom.core.model.span import KNOWS_NOTHING
from spanloom.core.model.trajectory import Kind
from spanloom.core.values.attributes import decimal

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from spanloom.core.model.span import NormalizedSpan

# Cached: before Python 3.12, enum members are looked up in Python code.
_MODEL, _OTHER = Kind.MODEL, Kind.OTHER
GENERIC = frozenset({"otel_genai", "evidence", "fallback"})
_PLAIN = (*KNOWS_NOTHING, ".other_operation", ".frame")
"""Suffixes of the rules for spans from which a dialect reads nothing."""
MAX_SHOWN = 10


def warn_of_unread(spans: Sequence[NormalizedSpan]) -> Sequence[str]:
    """Return warnings for the most frequent unread attributes and for each unknown scope."""
    counts: Counter[str] = Counter()
    for n in spans:
        if n.kind is _MODEL or n.unread.named or n.unread.counts:  # few spans pass
            counts.update(_unread(n))
    shown = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:MAX_SHOWN]
    return [
        *warn_of_unknown_scopes(spans),
        *[f"not read: {key} ({n} spans)" for key, n in shown],
    ]


def _unread(n: NormalizedSpan) -> Iterator[str]:
    attributes = n.span.attributes
    if n.dialect in GENERIC or n.rule.endswith(_PLAIN):
        keys = n.unread.named
        if n.kind is _MODEL and not (n.facts.usage and any(n.facts.usage)):
            yield from filter(None, (total_key(attributes),))  # a total is neither input nor output
    else:
        keys = n.unread.counts if n.kind is _MODEL and _lacks_counts(n) else ()
    read = _read_keys(n) if keys else ()
    for key in keys:
        value = attributes[key]
        if key not in read and value and (is_text(key) or (decimal(value) or 0) > 0):
            yield key


def _lacks_counts(n: NormalizedSpan) -> bool:
    usage = n.facts.usage
    return not (usage and usage.input_tokens and usage.output_tokens)


def _read_keys(n: NormalizedSpan) -> Collection[str]:
    """Return the attribute keys that are read from a step of any sender; none if it is no step."""
    if n.kind is _OTHER:
        return ()
    return {*count_keys(n.span.attributes, EVIDENCE), *keys_read(n.span.attributes)}
