"""Remove control characters from texts that consist mostly of them: JSON writes six for each."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import orjson

from spanloom.core.values.bounds import FREE_BYTES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanloom.core.model.span import Span


MAX_GROWTH = 2
"""Maximum factor by which JSON may lengthen a text; one of nothing but quotes doubles."""
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f]+")
"""Control characters without a short JSON escape."""


def legible(span: Span) -> tuple[Span, int]:
    """Return the span with illegible values cleaned, and how many values were cleaned."""
    attributes, count = _cleaned(span.attributes)
    if not span.events:
        return (span._replace(attributes=attributes), count) if count else (span, 0)
    cleaned = [_cleaned(event.attributes) for event in span.events]
    count += sum(n for _, n in cleaned)
    if not count:
        return span, 0
    events = [e._replace(attributes=a) for e, (a, _) in zip(span.events, cleaned, strict=True)]
    return span._replace(attributes=attributes, events=events), count


def _cleaned(attributes: Mapping[str, str]) -> tuple[Mapping[str, str], int]:
    if max(map(len, attributes.values()), default=0) <= FREE_BYTES:
        return attributes, 0
    noise = {
        key: _CONTROLS.sub("", text)
        for key, text in attributes.items()
        if len(text) > FREE_BYTES and _is_noise(text)
    }
    return ({**attributes, **noise}, len(noise)) if noise else (attributes, 0)


def _is_noise(text: str) -> bool:
    """Return whether JSON lengthens the text beyond the bound; serializing is the fastest test."""
    try:
        written = len(orjson.dumps(text)) - 2
    except TypeError:  # a lone surrogate: the text cannot be serialized at all
        return False
    return written > MAX_GROWTH * len(text) and written > MAX_GROWTH * len(text.encode())
