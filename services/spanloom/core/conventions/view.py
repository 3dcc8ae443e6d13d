"""The trace around a span, as dialects see it: the tree of spans, and a span's signature."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from spanloom.core.model.span import Span
from spanloom.core.model.tree import encloses

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from spanloom.core.model.tree import SpanTree

T = TypeVar("T")


class TraceView:
    """The trace around a span, with a cache for values that rules compute about its spans."""

    __slots__ = ("_families", "_memory", "_orphans", "tree")

    def __init__(self, tree: SpanTree) -> None:
        """Create the view of one trace; its cache lives as long as the extraction."""
        self.tree = tree
        self._memory: defaultdict[Callable[[Span], object], dict[str, object]] = defaultdict(dict)
        self._families: dict[tuple[Callable[[Sequence[Span]], object], str], object] = {}
        self._orphans: defaultdict[str, list[Span]] | None = None

    def remember_tree(self, read: Callable[[SpanTree], T]) -> T:
        """Return ``read(tree)``, computed once for the trace."""
        return self.tree.remember(read)

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

        The parent itself may be missing from the store.
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
    """The properties that ``Dialect.recognises`` may use; equal for spans of the same kind.

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
    """Return the span's signature, with the values of the keys in ``keys_with_values``."""
    attributes = span.attributes
    first_word = span.name.partition(" ")[0]
    if attributes.keys().isdisjoint(keys_with_values):  # the usual case, and faster
        return Signature(span.scope_name, first_word, tuple(attributes))
    values = tuple((key, attributes[key]) for key in keys_with_values if key in attributes)
    return Signature(span.scope_name, first_word, tuple(attributes), values)


MAX_OPEN = 32
"""Maximum number of open spans to search, the last started first; spans do not nest deeper."""


def find_innermost(
    spans: Iterable[Span],
    can_hold: Callable[[Span], bool],
    holds: Callable[[Span, Span], bool] = encloses,
) -> Mapping[str, Span]:
    """Map a span's id to the innermost span around it for which both functions return true.

    ``can_hold(outer)`` preselects outer spans, ``holds(outer, span)`` decides. Spans without such
    an outer span are left out. Only the last ``MAX_OPEN`` preselected spans that are open are
    examined.
    """
    outer_of: dict[str, Span] = {}
    open_spans: list[Span] = []
    for span in sorted(spans, key=lambda s: (s.start_ns, -s.end_ns, s.span_id)):
        open_spans = [o for o in open_spans[-MAX_OPEN:] if o.end_ns >= span.start_ns]
        outer = next((o for o in reversed(open_spans) if holds(o, span)), None)
        if outer is not None:
            outer_of[span.span_id] = outer
        if can_hold(span):
            open_spans.append(span)
    return outer_of


class OwnTree:
    """Parents and children among the spans of one instrumentation."""

    __slots__ = ("_children", "_parents", "spans")

    def __init__(self, tree: SpanTree, is_own: Callable[[Span], bool]) -> None:
        """Select spans that pass ``is_own``; their parent is the nearest selected ancestor."""
        self._parents: dict[str, Span] = {}
        self._children: defaultdict[str, list[Span]] = defaultdict(list)
        self.spans: Sequence[Span] = [span for span in tree.spans if is_own(span)]
        own = {span.span_id for span in self.spans}
        for span in tree.top_down:
            above = tree.parent(span)
            if above is not None and above.span_id not in own:
                above = self._parents.get(above.span_id)
            if above is not None:
                self._parents[span.span_id] = above
        for span in self.spans:
            if (parent := self._parents.get(span.span_id)) is not None:
                self._children[parent.span_id].append(span)

    def parent(self, span: Span) -> Span | None:
        """Return the nearest ancestor of the same instrumentation."""
        return self._parents.get(span.span_id)

    def children(self, span: Span) -> Sequence[Span]:
        """Return the span's children of the same instrumentation, in order."""
        return self._children.get(span.span_id, ())


MAX_DEPTH = 12
"""Maximum number of levels below a run that are searched for tools and model calls."""

Test = Callable[[Span], bool]


def loops_over_tools(
    run: Span, view: TraceView, is_tool: Test, is_call: Test, offers: Test
) -> bool:
    """Return whether the run is more than a wrapper of one model call.

    ``offers`` returns whether a run or a call had tools to choose from.
    """
    calls = 0
    level = [run]
    for _ in range(MAX_DEPTH):
        if any(map(offers, level)):
            return True
        level = [child for span in level for child in view.tree.children(span)]
        if any(map(is_tool, level)):
            return True
        calls += sum(map(is_call, level))
        if calls > 1:
            return True
    return False
