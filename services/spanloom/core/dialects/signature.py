"""What tells the dialect of a span, and nothing else of it: spans of one kind are asked once.

A dialect knows its spans by scope, attribute keys, the first word of the name, and a few values.
A service sends the same few signatures over and over, so the answer for each can be kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

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

Signature: TypeAlias = tuple[str, str, tuple[str, ...], tuple[tuple[str, str], ...]]
"""All that ``Dialect.recognises`` may go by: scope, first word of the name, keys, telling pairs.

A plain tuple: one is made for every span, and looked up.
"""


def read_signature(span: Span) -> Signature:
    """Give what tells the span's dialect."""
    said = span.attributes
    tells = not said.keys().isdisjoint(TELLING)
    values = tuple([(key, said[key]) for key in TELLING if key in said]) if tells else ()
    return span.scope_name, span.name.partition(" ")[0], tuple(said), values


def as_span(signature: Signature) -> Span:
    """Give a span that says this and nothing else; its other attributes are empty."""
    scope_name, word, keys, values = signature
    said: Mapping[str, str] = {**dict.fromkeys(keys, ""), **dict(values)}
    return Span(*("", "", "", word, "", 0, 0, "", "", "", scope_name, ""), said, (), (), 0)
