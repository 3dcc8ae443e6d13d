"""Pairs the legs of calls over the Model Context Protocol, so that one call is one step.

A leg is one side of the call, reported as a span by the client or the server. A call has up to four
reports: the framework's tool, its client's leg, the SDK's leg and the server's leg. Each is below
the one before, but the framework's span is next to the legs if it is never the current span. Times
are no evidence, because networks and the client's own work change them. The protocol decides:

- a server's leg below a client's leg is the far end of that call;
- a single leg below a tool of its name is that tool's call; two legs are calls that the tool makes;
- legs that are not below a tool of their name, but within the time of such a tool, are the tools'
  calls, if there are no more legs than tools.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from typing import TYPE_CHECKING

from spanloom.core.conventions.mcp import Leg, read_leg
from spanloom.core.duplicates.keys import argument_values
from spanloom.core.duplicates.matching import MAX_OPEN
from spanloom.core.model.trajectory import Kind
from spanloom.core.model.tree import BLUR_NS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from spanloom.core.model.span import NormalizedSpan, Span
    from spanloom.core.model.tree import SpanTree

FAR_SIDE = "mcp.far_side_alone"
"""Name of the rule for a call that is no step because its caller's spans are not in the trace."""
_SLACKS_NS = (BLUR_NS, 20_000_000)
"""How far a leg may exceed its tool's time in ns: on the same clock, then on two clocks."""
_TOOL, _OTHER = Kind.TOOL, Kind.OTHER
_SEPARATORS = frozenset("_-./:")
LONGEST_NAME = 128
"""Maximum characters of the prefix of a tool's name that may name its server."""


def find_legs(spans: Iterable[NormalizedSpan]) -> Mapping[str, Leg]:
    """Return the legs (client or server sides of MCP calls) of these spans, keyed by span id."""
    tools = (n.span for n in spans if n.kind is _TOOL)
    return {span.span_id: leg for span in tools if (leg := read_leg(span)) is not None}


class Calls:
    """The legs of a trace's MCP calls, which are paired with the tools whose calls they report."""

    def __init__(
        self, tree: SpanTree, spans: Mapping[str, NormalizedSpan], legs: Mapping[str, Leg]
    ) -> None:
        """Store all spans by id, and the legs among them."""
        self._tree = tree
        self._spans = spans
        self._legs = legs

    def without_own_calls(self, outer: Mapping[str, str]) -> dict[str, str]:
        """Return ``outer`` without the MCP calls that a tool makes while it runs.

        ``outer`` has the duplicates that dialects found: the id of a span, and the id of the span
        that reports the same call. If the span of a framework's tool has several legs whose
        arguments differ, or one leg whose arguments differ from the tool's, the legs are separate
        calls by the tool, not reports of it.
        """
        families: defaultdict[str, list[str]] = defaultdict(list)
        for span_id, target in outer.items():
            if span_id in self._legs and target not in self._legs:
                families[target].append(span_id)
        own = {
            span_id
            for target, family in families.items()
            if any(self._differ(span_id, other) for span_id in family for other in family[:1])
            or (len(family) == 1 and self._differ(family[0], target))
            for span_id in family
        }
        return {span_id: target for span_id, target in outer.items() if span_id not in own}

    def pair(self, outer: Mapping[str, str]) -> Mapping[str, str]:
        """Map the span id of each further report of a call to the id of the span that it repeats.

        Spans in ``outer``, which are paired already, are skipped.
        """
        families: defaultdict[str, list[str]] = defaultdict(list)
        alone: list[str] = []
        for span, above in self._tools_below():
            if span.span_id in outer:
                continue
            if above and self._may_be_one(above, span.span_id):
                families[above].append(span.span_id)
            elif not above and span.span_id in self._legs:
                alone.append(span.span_id)
        pairs = {
            inner: above for above, family in families.items() for inner in self._own(above, family)
        }
        free = [span_id for span_id in alone if span_id not in pairs]
        return pairs | self._pair_by_time(free, {*outer, *outer.values(), *pairs.values()})

    def _tools_below(self) -> Iterator[tuple[Span, str]]:
        """Yield each tool run, and the tool in which it ran directly; ``""`` if there is none."""
        nearest: dict[str, str] = {}
        for span in self._tree.top_down:
            span_id, kind = span.span_id, self._spans[span.span_id].kind
            above = nearest.get(span.parent_span_id, "")
            if kind is _TOOL:
                yield span, above
            nearest[span_id] = span_id if kind is _TOOL else above if kind is _OTHER else ""

    def _may_be_one(self, above: str, inner: str) -> bool:
        """Return whether the tool or leg above a tool run may report the same run."""
        outer_leg, inner_leg = self._legs.get(above), self._legs.get(inner)
        if outer_leg is None and inner_leg is None:
            return False
        if outer_leg and inner_leg and inner_leg.is_server and not outer_leg.is_server:
            return True
        return _same_name(self._name(above), self._name(inner))

    def _own(self, above: str, family: Sequence[str]) -> Sequence[str]:
        """Return the spans in ``family`` that report the same call as ``above``, the span above."""
        leg = self._legs.get(above)
        if leg is not None and not leg.is_server:
            return family
        is_one = len(family) == 1 and not self._differ(family[0], above)
        return family if is_one else ()

    def _name(self, span_id: str) -> str:
        leg = self._legs.get(span_id)
        return leg.tool if leg is not None else self._spans[span_id].facts.tool_name

    def _differ(self, one: str, other: str) -> bool:
        """Return whether both spans have arguments, and each has some that the other lacks.

        Only the values are compared, because a client adds defaults to the framework's arguments.
        """
        ours, theirs = (set(argument_values(self._spans[i].facts.input)) for i in (one, other))
        return not (ours <= theirs or theirs <= ours)

    def _pair_by_time(self, alone: Sequence[str], taken: set[str]) -> dict[str, str]:
        """Pair legs with tools of their name that enclose them in time; try small slacks first.

        ``alone`` are the legs that are not paired yet, ``taken`` the spans that are paired already.
        """
        pairs: dict[str, str] = {}
        for slack_ns in _SLACKS_NS if alone else ():
            legs = [i for i in alone if i not in pairs]
            tools = self._tools_by_name(taken | set(pairs.values()))
            for name, group in self._by_name(legs).items():
                pairs |= self._match(group, tools.get(name, ()), slack_ns)
        return pairs

    def _by_name(self, legs: Iterable[str]) -> Mapping[str, Sequence[str]]:
        """Group the legs by tool name, each group ordered by start."""
        groups: defaultdict[str, list[str]] = defaultdict(list)
        for span_id in sorted(legs, key=self._start):
            groups[self._name(span_id)].append(span_id)
        return groups

    def _start(self, span_id: str) -> int:
        return self._spans[span_id].span.start_ns

    def _tools_by_name(self, used: set[str]) -> Mapping[str, Sequence[NormalizedSpan]]:
        """Return the unpaired tools, grouped by each name that their leg may have.

        Legs that do not name the tool are looked up under ``""``, which has all unpaired tools.
        """
        tools: defaultdict[str, list[NormalizedSpan]] = defaultdict(list)
        for span_id, n in self._spans.items():
            if n.kind is _TOOL and span_id not in self._legs and span_id not in used:
                for name in {"", *_names_in(n.facts.tool_name)}:
                    tools[name].append(n)
        return tools

    def _match(
        self, legs: Sequence[str], tools: Sequence[NormalizedSpan], slack_ns: int
    ) -> Mapping[str, str]:
        """Match legs with tools that enclose them in time, unless legs outnumber the tools."""
        pairs: dict[str, str] = {}
        for near in _overlapping(tools):
            first, last = near[0].span.start_ns, max(n.span.end_ns for n in near)
            begin = bisect_left(legs, first - slack_ns, key=self._start)
            end = bisect_right(legs, last + slack_ns, key=self._start)
            if len(near) > MAX_OPEN or end - begin > 2 * MAX_OPEN:
                continue
            within = [
                i for i in legs[begin:end] if any(self._encloses(n, i, slack_ns) for n in near)
            ]
            if len(within) > len(near):
                continue
            free = list(near)
            for leg in within:
                own = [n for n in free if self._encloses(n, leg, slack_ns)]
                if own:
                    tool = min(own, key=lambda n: n.span.end_ns)
                    free.remove(tool)
                    pairs[leg] = tool.span.span_id
        return pairs

    def _encloses(self, tool: NormalizedSpan, leg: str, slack_ns: int) -> bool:
        span = self._spans[leg].span
        starts = tool.span.start_ns - slack_ns <= span.start_ns
        ends = span.end_ns <= tool.span.end_ns + slack_ns
        return starts and ends and not self._differ(tool.span.span_id, leg)


def _overlapping(tools: Sequence[NormalizedSpan]) -> Iterator[Sequence[NormalizedSpan]]:
    """Yield the tools in groups that ran at the same time."""
    group: list[NormalizedSpan] = []
    end_ns = 0
    for tool in sorted(tools, key=lambda n: n.span.start_ns):
        if group and tool.span.start_ns > end_ns:
            yield group
            group = []
        group.append(tool)
        end_ns = max(end_ns, tool.span.end_ns)
    if group:
        yield group


def _same_name(outer: str, inner: str) -> bool:
    """Return whether names may mean one tool: equal, one unknown, or one after a server's name."""
    return not outer or not inner or outer == inner or inner in _names_in(outer)


def _names_in(name: str) -> Iterator[str]:
    """Yield the names that a tool may have on its server: ``a_b`` is ``b`` of a server ``a``."""
    yield name
    for at, letter in enumerate(name[:LONGEST_NAME]):
        if letter in _SEPARATORS and at + 1 < len(name):
            yield name[at + 1 :]


def is_far_side(tree: SpanTree, span_id: str, leg: Leg) -> bool:
    """Return whether a leg without an outer report is the far end of a call from another trace.

    It is a server's leg, or a client's leg that is the root of its trace. Spans of OpenLLMetry are
    excluded because plain applications send them too, with arguments and results.
    """
    return not leg.is_openllmetry and (leg.is_server or tree.root.span_id == span_id)
