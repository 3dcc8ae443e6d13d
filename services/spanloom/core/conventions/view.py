"""The trace around a span as dialects see it, and the signature that decides a span's dialect."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from spanloom.core.model.span import Span
    from spanloom.core.model.tree import SpanTree


T = TypeVar("T")


class TraceView:
    """The trace around a span, with a cache for what rules compute about its spans."""

    __slots__ = ("_families", "_memory", "_orphans", "_whole", "tree")

    def __init__(self, tree: SpanTree) -> None:
        """Create the view of one trace; its cache lives as long as the extraction."""
        self.tree = tree
        self._memory: defaultdict[Callable[[Span], object], dict[str, object]] = defaultdict(dict)
        self._families: dict[tuple[Callable[[Sequence[Span]], object], str], object] = {}
        self._whole: dict[Callable[[SpanTree], object], object] = {}
        self._orphans: defaultdict[str, list[Span]] | None = None

    def remember_tree(self, read: Callable[[SpanTree], T]) -> T:
        """Return ``read(tree)``, computed once for the trace."""
        if read not in self._whole:
            self._whole[read] = read(self.tree)
        return self._whole[read]  # type: ignore[return-value]  # keyed by the function that made it

    def remember(self, read: Callable[[Span], T], span: Span) -> T:
        """Return ``read(span)``, computed once for each span of the trace."""
        known, span_id = self._memory[read], span.span_id
        if span_id not in known:
            known[span_id] = read(span)
        return known[span_id]  # type: ignore[return-value]  # keyed by the function that made it

    def remember_children(self, read: Callable[[Sequence[Span]], T], parent: Span) -> T:
        """Return ``read(children of parent)``, computed once for each parent."""
        return self._remember_family(read, parent.span_id, self.tree.children(parent))

    def remember_siblings(self, read: Callable[[Sequence[Span]], T], span: Span) -> T:
        """Return ``read`` of all spans with the span's parent id, computed once for each parent.

        The parent itself may not be stored.
        """
        parent = self.tree.parent(span)
        if parent is not None:
            return self.remember_children(read, parent)
        return self._remember_family(read, span.parent_span_id, self._left_by(span.parent_span_id))

    def _remember_family(
        self, read: Callable[[Sequence[Span]], T], parent_id: str, children: Sequence[Span]
    ) -> T:
        key = (read, parent_id)
        if key not in self._families:
            self._families[key] = read(children)
        return self._families[key]  # type: ignore[return-value]  # keyed by the function that made it

    def _left_by(self, lost_id: str) -> Sequence[Span]:
        if self._orphans is None:
            self._orphans = defaultdict(list)
            for span in self.tree.spans:
                if span.parent_span_id and self.tree.parent(span) is None:
                    self._orphans[span.parent_span_id].append(span)
        return self._orphans.get(lost_id, ())


class Signature(NamedTuple):
    """The properties that ``Dialect.recognises`` may use; equal for spans of one kind.

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
        """All attributes; values of keys outside ``keys_with_values`` are empty."""
        return {**dict.fromkeys(self.keys, ""), **dict(self.values)}


def read_signature(span: Span, keys_with_values: Collection[str]) -> Signature:
    """Return the span's signature; ``keys_with_values`` are the keys whose values count."""
    attributes = span.attributes
    first_word = span.name.partition(" ")[0]
    if attributes.keys().isdisjoint(keys_with_values):  # true of nearly all spans, and faster
        return Signature(span.scope_name, first_word, tuple(attributes))
    values = tuple((key, attributes[key]) for key in keys_with_values if key in attributes)
    return Signature(span.scope_name, first_word, tuple(attributes), values)
