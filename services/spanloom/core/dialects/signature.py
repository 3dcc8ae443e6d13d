"""What tells the dialect of a span, and nothing else of it: spans of one kind are asked once.

A dialect knows its spans by scope, attribute keys, the first word of the name, and a few values.
A service sends the same few signatures over and over, so the answer for each can be kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.model.span import Span

if TYPE_CHECKING:
    from collections.abc import Mapping

TELLING = (
    "gen_ai.system",
    "gen_ai.provider.name",
    "langfuse.ingestion.sdk_integration",
    "langfuse.ingestion.sdk_version",
    "langfuse.ingestion.sdk_name",
)
"""Attributes whose values name an instrumentation; of all others only the presence tells."""
_TELLING = frozenset(TELLING)
MAX_KEYS = 256
"""Signatures of spans with more keys are not worth keeping: keys are foreign and fill memory."""


class Signature(NamedTuple):
    """All that ``Dialect.recognises`` may go by."""

    scope_name: str
    word: str
    """The first word of the span's name."""
    keys: tuple[str, ...]
    values: tuple[tuple[str, str], ...]
    """The telling attributes that the span has."""

    def as_span(self) -> Span:
        """Give a span that says this and nothing else; its other attributes are empty."""
        said: Mapping[str, str] = {**dict.fromkeys(self.keys, ""), **dict(self.values)}
        return Span(
            *("", "", "", self.word, "", 0, 0, "", "", "", self.scope_name, ""), said, (), (), 0
        )


def read_signature(span: Span) -> Signature:
    """Give what tells the span's dialect."""
    said = span.attributes
    tells = not _TELLING.isdisjoint(said)
    values = tuple((key, said[key]) for key in TELLING if key in said) if tells else ()
    return Signature(span.scope_name, span.name.partition(" ")[0], tuple(said), values)
