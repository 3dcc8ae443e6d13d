"""The spans of a trace as a tree, even if the trace is incomplete.

Real traces have orphans (the parent was lost or is remote), several roots, no root yet, and
now and then a cycle. The tree gives every span exactly one position, whatever the order of arrival,
and reports repairs in ``warnings``.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from spanloom.core.model.span import Span

T = TypeVar("T")
_WARNINGS = {
    "no_root": "no span without a parent arrived: the earliest topmost span stands in for the root",
    "stand_in": "no span without a parent arrived: a root is made around the topmost spans",
    "extra_root": "{n} more spans have no parent: they hang below the root",
    "orphan": "{n} spans have a parent that is not in the trace: they hang below the root",
    "open": "{n} spans have no end: they were not finished",
    "cycle": "{n} parent cycles: each is cut at its earliest span, which hangs below the root",
}

_MAY_ARRIVE = ("no_root", "stand_in", "orphan", "open")
"""Reasons for warnings that later spans may resolve."""


def span_order(span: Span) -> tuple[int, str]:
    """Return the sort key of spans, used in all code: start and span id."""
    return span.start_ns, span.span_id


class SpanTree:
    """The spans of a trace with one root; never empty."""

    __slots__ = (
        *("_children", "_is_top_no_root", "_memory", "_parents", "absences", "has_root"),
        *("open", "root", "spans", "stand_in", "top_down", "warnings"),
    )

    def __init__(self, spans: Iterable[Span], *, is_top_no_root: bool = False) -> None:
        """Build the tree; the order of ``spans`` does not matter.

        A span without an end gets the last known time of the span and its descendants.
        ``is_top_no_root``: if the parent of a single topmost span is missing, create a root, as for
        several topmost spans. Raises ``ValueError`` if there are no spans.
        """
        self._is_top_no_root = is_top_no_root
        ordered = sorted(spans, key=span_order)
        if not ordered:
            raise ValueError("a tree needs at least one span")
        self.open = frozenset([s.span_id for s in ordered if not s.end_ns and s.start_ns])
        """Ids of the spans without an end: their process was killed, or they still run."""
        self._build(ordered)
        if self.open:
            ends = self._last_seen()
            self._build([s if s.end_ns else s._replace(end_ns=ends[s.span_id]) for s in ordered])
        self._memory: dict[Callable[[SpanTree], object], object] = {}

    def remember(self, read: Callable[[SpanTree], T]) -> T:
        """Return ``read(self)``, computed once; the cache lives as long as the tree."""
        if read not in self._memory:
            self._memory[read] = read(self)
        return self._memory[read]  # type: ignore[return-value]  # keyed by the function that made it

    def _build(self, spans: Sequence[Span]) -> None:
        self.spans: Sequence[Span] = spans
        known = {span.span_id: span for span in spans}
        self._link(known)
        tops = self._tops()
        self.top_down: Sequence[Span] = self._walk(tops)
        """Every span once, after its parent in the repaired tree."""
        cuts: set[str] = set()
        if len(self.top_down) < len(self.spans):
            cuts = self._cut_cycles(self.top_down)
            tops = self._tops()
        reported_root = next((top for top in tops if not top.parent_span_id), None)
        self.has_root = reported_root is not None
        is_root_missing = not reported_root and (len(tops) > 1 or self._is_top_no_root)
        self.stand_in = self._make_root(tops, known) if is_root_missing else None
        """A created root above spans whose parents are missing; ``None`` if the tree needs none."""
        self.root = reported_root or self.stand_in or tops[0]
        attached = [top for top in tops if top is not self.root]
        self.warnings: Sequence[str] = []
        self.absences: Sequence[str] = []
        """The warnings about missing spans, which may still arrive."""
        if attached or not self.has_root or self.open:
            self._warn(attached, cuts)
            self.top_down = self._walk([self.root, *attached])

    def _make_root(self, tops: Sequence[Span], known: Collection[str]) -> Span | None:
        """Return a new root above all spans; ``None`` if no topmost span has a missing parent.

        The new root gets the id of the first missing parent, which may be the actual root.
        """
        orphan = next((top for top in tops if top.parent_span_id not in known), None)
        if orphan is None:
            return None
        first = tops[0]
        return first._replace(
            span_id=orphan.parent_span_id,
            parent_span_id="",
            kind="Internal",
            end_ns=max(first.start_ns, *[span.end_ns for span in self.spans]),
            status_code="Unset",
            status_message="",
            scope_name="",
            scope_version="",
            attributes={},
            events=(),
            links=(),
        )

    def _link(self, known: Mapping[str, Span]) -> None:
        """Index the reported parents and children; ``known`` has the spans by id."""
        self._parents: dict[str, Span] = {}
        self._children: defaultdict[str, list[Span]] = defaultdict(list)
        for span in self.spans:
            if (parent := known.get(span.parent_span_id)) is not None:
                self._parents[span.span_id] = parent
                self._children[parent.span_id].append(span)

    @property
    def placed(self) -> Sequence[Span]:
        """All spans of the tree: a created root, if there is one, then the spans that were sent."""
        return self.spans if self.stand_in is None else (self.stand_in, *self.spans)

    def parent(self, span: Span) -> Span | None:
        """Return the reported parent, if it is in the trace."""
        return self._parents.get(span.span_id)

    def children(self, span: Span) -> Sequence[Span]:
        """Return the spans that report this span as their parent, in order."""
        return self._children.get(span.span_id, ())

    def siblings(self, span: Span) -> Sequence[Span]:
        """Return the children of the span's reported parent, including the span."""
        parent = self._parents.get(span.span_id)
        return () if parent is None else self._children[parent.span_id]

    def ancestors(self, span: Span) -> Iterator[Span]:
        """Yield the reported parents up to the top, nearest first."""
        parent = self._parents.get(span.span_id)
        while parent is not None:
            yield parent
            parent = self._parents.get(parent.span_id)

    def place(self, span: Span) -> Span | None:
        """Return the parent that the span has in the repaired tree; ``None`` for the root."""
        if span.span_id == self.root.span_id:
            return None
        return self._parents.get(span.span_id, self.root)

    def _last_seen(self) -> Mapping[str, int]:
        """Return the last time at which each span is known to have run, in ns, keyed by span id."""
        seen: dict[str, int] = {}
        for span in self.placed:
            times = [event.time_ns for event in span.events]
            seen[span.span_id] = max(span.start_ns, span.end_ns, *times)
        for span in reversed(self.top_down):
            if (around := self.place(span)) is not None:
                seen[around.span_id] = max(seen[around.span_id], seen[span.span_id])
        return seen

    def _tops(self) -> Sequence[Span]:
        return [span for span in self.spans if span.span_id not in self._parents]

    def _cut_cycles(self, reached: Iterable[Span]) -> set[str]:
        """Detach the earliest span of each cycle; return the ids of the detached spans.

        Spans in a cycle cannot be reached from a topmost span.
        """
        cuts: set[str] = set()
        seen = {span.span_id for span in reached}
        for span in self.spans:
            if span.span_id not in seen:
                first = min(self._cycle_above(span), key=span_order)
                self._children[self._parents.pop(first.span_id).span_id].remove(first)
                cuts.add(first.span_id)
                seen.update(s.span_id for s in self._walk([first]))
        return cuts

    def _walk(self, tops: Iterable[Span]) -> list[Span]:
        """Return these spans and all their descendants, each span after its parent."""
        reached = list(tops)
        for span in reached:
            if (children := self._children.get(span.span_id)) is not None:
                reached.extend(children)
        return reached

    def _cycle_above(self, span: Span) -> list[Span]:
        """Return the spans of the cycle to which the parents of ``span`` lead."""
        path: dict[str, Span] = {}
        while span.span_id not in path:
            path[span.span_id] = span
            span = self._parents[span.span_id]
        members = list(path.values())
        return members[list(path).index(span.span_id) :]

    def _warn(self, attached: Iterable[Span], cuts: set[str]) -> None:
        """Set the warnings: how many spans were attached to the root, and why."""
        reasons = Counter[str]()
        for span in attached:
            if span.span_id in cuts:
                reasons["cycle"] += 1
            elif span.parent_span_id != self.root.span_id:
                reasons["orphan" if span.parent_span_id else "extra_root"] += 1
        if not self.has_root:
            reasons["no_root" if self.stand_in is None else "stand_in"] = 1
        reasons["open"] = len(self.open)
        texts = {r: text.format(n=reasons[r]) for r, text in _WARNINGS.items() if reasons[r]}
        self.warnings = list(texts.values())
        self.absences = [text for reason, text in texts.items() if reason in _MAY_ARRIVE]


def with_all_below(tree: SpanTree, span_ids: Collection[str]) -> set[str]:
    """Return the ids of these spans and of all their descendants."""
    inside: set[str] = set()
    for span in tree.top_down:
        if span.span_id in span_ids or span.parent_span_id in inside:
            inside.add(span.span_id)
    return inside


BLUR_NS = 1_000_000
"""Clock error of OpenTelemetry for JavaScript: it starts spans at whole milliseconds and measures
from there, so that an inner span may seem to end after its outer span."""


def encloses(outer: Span, inner: Span) -> bool:
    """Return whether ``inner`` ran within the time of ``outer``, which lasted longer."""
    within = outer.start_ns <= inner.start_ns and inner.end_ns <= outer.end_ns
    return within and (outer.start_ns, outer.end_ns) != (inner.start_ns, inner.end_ns)


def mostly_encloses(outer: Span, inner: Span) -> bool:
    """Return whether ``inner`` ran within the time of ``outer``, allowing for ``BLUR_NS``."""
    if encloses(outer, inner):
        return True
    started_within = outer.start_ns <= inner.start_ns
    middle = (inner.start_ns + inner.end_ns) // 2
    return started_within and inner.end_ns < outer.end_ns + BLUR_NS and middle < outer.end_ns
