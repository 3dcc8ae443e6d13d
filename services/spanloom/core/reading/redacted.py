"""What the receiver took out of a span, as it travels with the span: ``cards=2,passwords=1``."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from spanloom.core.model.span import Span

ATTRIBUTE = "spanloom.redacted"
"""The attribute that holds the counts, by the names of the rules."""
_COUNTS = re.compile(r"[a-z][a-z0-9_-]{0,39}=\d{1,9}(?:,[a-z][a-z0-9_-]{0,39}=\d{1,9}){0,99}")
_WARNING = "{n} values were redacted before they were stored: {rules}"


def write_counts(counts: Mapping[str, int]) -> str:
    """Return the attribute's text: ``cards=2,passwords=1``."""
    return ",".join(f"{rule}={n}" for rule, n in sorted(counts.items()))


def read_counts(text: str) -> Counter[str]:
    """Return the counts by rule; none if the text is not ours."""
    if not _COUNTS.fullmatch(text):
        return Counter()
    entries = (entry.split("=") for entry in text.split(","))
    return Counter({rule: int(n) for rule, n in entries})


def redaction_warnings(spans: Iterable[Span]) -> list[str]:
    """Return one line that says how much of a trace was redacted, by which rules; else none."""
    counts: Counter[str] = Counter()
    for span in spans:
        if text := span.attributes.get(ATTRIBUTE):
            counts += read_counts(text)
        for event in span.events:  # content events bring their own
            if text := event.attributes.get(ATTRIBUTE):
                counts += read_counts(text)
    if not counts:
        return []
    rules = ", ".join(f"{rule} {n}" for rule, n in sorted(counts.items()))
    return [_WARNING.format(n=counts.total(), rules=rules)]
