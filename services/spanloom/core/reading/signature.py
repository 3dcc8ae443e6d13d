"""What decides the dialect of a span, and nothing else of it: spans of one kind are asked once.

A dialect knows its spans by scope, attribute keys, the first word of the name, and a few values.
A service sends the same few signatures over and over, so the answer for each can be kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from spanloom.core.model.span import Span


class Signature(NamedTuple):
    """All that ``Dialect.recognises`` may go by; equal for spans of one kind.

    Example: scope ``autogen-core``, name ``autogen``, keys ``("gen_ai.system",)``, values
    ``(("gen_ai.system", "autogen"),)``.
    """

    scope_name: str
    name: str
    """The first word of the span's name."""
    keys: tuple[str, ...]
    """The keys of all attributes."""
    values: tuple[tuple[str, str], ...] = ()
    """Key and value of the attributes that some dialect declares in ``keys_with_values``."""

    @property
    def attributes(self) -> Mapping[str, str]:
        """All attributes; a value that no dialect declared is empty."""
        return {**dict.fromkeys(self.keys, ""), **dict(self.values)}


def read_signature(span: Span, keys_with_values: Collection[str]) -> Signature:
    """Return the span's signature; ``keys_with_values`` are those whose values count."""
    attributes = span.attributes
    first_word = span.name.partition(" ")[0]
    if attributes.keys().isdisjoint(keys_with_values):  # of nearly all spans, and quicker
        return Signature(span.scope_name, first_word, tuple(attributes))
    values = tuple((key, attributes[key]) for key in keys_with_values if key in attributes)
    return Signature(span.scope_name, first_word, tuple(attributes), values)
