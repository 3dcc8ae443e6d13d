"""Decides whether two spans report the same call or run, by time, names and token counts."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from spanloom.core.duplicates.wording import answer_alike, contradict
from spanloom.core.model.trajectory import Kind
from spanloom.core.model.tree import mostly_encloses

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from spanloom.core.model.span import NormalizedSpan
    from spanloom.core.model.step import Usage
    from spanloom.core.model.tree import SpanTree

MAX_OPEN = 64
"""How many open calls a new call is compared with: the calls that started last."""


def pair_siblings(tree: SpanTree, calls: Iterable[NormalizedSpan]) -> dict[str, str]:
    """Pair a client's span with the framework's sibling call that encloses it in time.

    ``ChatOpenAI`` from 0 to 9 ms and ``openai.chat`` from 1 to 8 ms are one call.
    """
    families: defaultdict[str, list[NormalizedSpan]] = defaultdict(list)
    for call in calls:
        if tree.parent(call.span) is not None:
            families[call.span.parent_span_id].append(call)
    pairs: dict[str, str] = {}
    for family in families.values():
        if len({call.span.scope_name for call in family}) > 1:
            pairs |= _pair(family, _reports_same_call)
    return pairs


def pair_orphans(tree: SpanTree, calls: Sequence[NormalizedSpan]) -> dict[str, str]:
    """Pair a client's span whose parent is missing with the call that encloses it in time.

    Because only time links the two spans, their token counts or response ids must be equal as well.
    """
    orphans = {
        call.span.span_id
        for call in calls
        if call.span.parent_span_id and tree.parent(call.span) is None
    }

    def is_same(outer: NormalizedSpan, inner: NormalizedSpan) -> bool:
        return inner.span.span_id in orphans and _is_surely_same(outer, inner)

    return _pair(calls, is_same) if orphans else {}


def _pair(
    calls: Iterable[NormalizedSpan], is_same: Callable[[NormalizedSpan, NormalizedSpan], bool]
) -> dict[str, str]:
    """Pair calls in start order, each with the latest call still running that it repeats."""
    pairs: dict[str, str] = {}
    open_calls: list[NormalizedSpan] = []
    for n in sorted(calls, key=_outer_first):
        open_calls = [c for c in open_calls[-MAX_OPEN:] if c.span.end_ns >= n.span.start_ns]
        match = next((c for c in reversed(open_calls) if is_same(c, n)), None)
        if match is None:
            open_calls.append(n)
        else:
            open_calls.remove(match)
            pairs[n.span.span_id] = match.span.span_id
    return pairs


def _outer_first(n: NormalizedSpan) -> tuple[int, int]:
    """Return the sort key by start; of calls with the same start the longer call comes first."""
    return n.span.start_ns, -n.span.end_ns


def _is_surely_same(outer: NormalizedSpan, inner: NormalizedSpan) -> bool:
    return numbers_agree(outer, inner) is True and _reports_same_call(outer, inner)


def _reports_same_call(outer: NormalizedSpan, inner: NormalizedSpan) -> bool:
    ran_within = mostly_encloses(outer.span, inner.span)
    if outer.span.scope_name == inner.span.scope_name or not ran_within:
        return False
    if (is_one := numbers_agree(outer, inner)) is not None:
        return is_one
    ended_within = inner.span.end_ns <= outer.span.end_ns
    return ended_within and bool(outer.error) == bool(inner.error)


def numbers_agree(ours: NormalizedSpan, theirs: NormalizedSpan) -> bool | None:
    """Return whether two reports agree in response id, or otherwise in token counts and texts.

    ``None`` if one of them has neither an id nor counts, and no text contradicts.
    """
    mine, others = ours.facts, theirs.facts
    if mine.response_id and others.response_id:
        return mine.response_id == others.response_id
    is_counted = has_usage(ours) and has_usage(theirs)
    if is_counted and not _count_the_same(mine.usage, others.usage):
        return False
    if contradict((mine.input, mine.output), (others.input, others.output)):
        return False
    return True if is_counted else None


def has_usage(n: NormalizedSpan) -> bool:
    """Return whether the span reports any tokens."""
    return any(_counts(n.facts.usage))


def _counts(usage: Usage | None) -> tuple[int, int]:
    return (usage.input_tokens, usage.output_tokens) if usage else (0, 0)


def _count_the_same(ours: Usage | None, theirs: Usage | None) -> bool:
    """Return whether the counts agree; some clients exclude cached tokens from the input.

    Every call has an input and an output. So a zero is a missing count, and then the other count
    decides.
    """
    if ours is None or theirs is None:
        return False
    both_input = ours.input_tokens and theirs.input_tokens
    both_output = ours.output_tokens and theirs.output_tokens
    if both_input and _input_readings(ours).isdisjoint(_input_readings(theirs)):
        return False
    return not both_output or ours.output_tokens == theirs.output_tokens


def _input_readings(usage: Usage) -> set[int]:
    cached = usage.cache_read_tokens + usage.cache_creation_tokens
    return {usage.input_tokens - cached, usage.input_tokens, usage.input_tokens + cached}


SLACK_NS = 20_000_000
SLACK_SHARE = 0.05
"""Maximum distance of the starts, and of the ends, of two reports of one run: nanoseconds, or a
share of its duration. Nested instrumentations delay each other."""
_BRIEF = 3
"""A call lasts at least this many times as long as the beginning of its stream."""
_MODEL, _TOOL = Kind.MODEL, Kind.TOOL


def slack_ns(start_ns: int, end_ns: int) -> int:
    """Return how far apart two reports of a run with this start and end may be, in ns."""
    return max(SLACK_NS, int((end_ns - start_ns) * SLACK_SHARE))


def own_slack_ns(n: NormalizedSpan) -> int:
    """Return how far apart this span and another report of its run may be, in ns."""
    return slack_ns(n.span.start_ns, n.span.end_ns)


def are_simultaneous(ours: NormalizedSpan, theirs: NormalizedSpan) -> bool:
    """Return whether two spans of different scopes began and ended together."""
    if ours.span.scope_name == theirs.span.scope_name:
        return False
    apart_ns = (
        abs(theirs.span.start_ns - ours.span.start_ns),
        abs(theirs.span.end_ns - ours.span.end_ns),
    )
    return max(apart_ns) <= max(own_slack_ns(ours), own_slack_ns(theirs))


def may_be_one(ours: NormalizedSpan, theirs: NormalizedSpan) -> bool:
    """Return whether two spans of one kind may report the same run; never with the same scope."""
    if ours.span.scope_name == theirs.span.scope_name:
        return False
    if ours.kind is _MODEL:
        is_near = _is_near(ours, theirs) or _have_one_response(ours, theirs)
        if is_near and _may_be_one_call(ours, theirs):
            return True
        is_stream = _overlap(ours, theirs) or _is_stream_start(ours, theirs)
        return is_stream and _answer_the_same(ours, theirs)
    name, other = _name(ours), _name(theirs)
    if are_simultaneous(ours, theirs):
        return not name or not other or name == other
    return bool(name) and name == other and _is_delayed(ours, theirs)


def _is_near(ours: NormalizedSpan, theirs: NormalizedSpan) -> bool:
    """Return whether two calls began or ended together; their content has to match as well."""
    slack_ns = max(own_slack_ns(ours), own_slack_ns(theirs))
    first, second = ours.span, theirs.span
    apart_ns = min(abs(second.start_ns - first.start_ns), abs(second.end_ns - first.end_ns))
    return apart_ns <= slack_ns


def _is_delayed(ours: NormalizedSpan, theirs: NormalizedSpan) -> bool:
    """Return whether only start or end coincide, as if an instrumentation first had to load.

    Runs that only began together may be parallel, so they must share nearly all their time.
    """
    slack_ns = max(own_slack_ns(ours), own_slack_ns(theirs))
    if abs(theirs.span.end_ns - ours.span.end_ns) <= slack_ns:
        return _overlap(ours, theirs)
    return abs(theirs.span.start_ns - ours.span.start_ns) <= slack_ns and _last_alike(ours, theirs)


def _have_one_response(ours: NormalizedSpan, theirs: NormalizedSpan) -> bool:
    """Return whether both have the same response id; on a busy machine one may be much later."""
    return ours.facts.response_id == theirs.facts.response_id != ""


def _may_be_one_call(ours: NormalizedSpan, theirs: NormalizedSpan) -> bool:
    """Return whether counts, an error or a text confirm one call, and nothing contradicts it."""
    if bool(ours.error) != bool(theirs.error) or not _overlap(ours, theirs):
        return False
    if (is_one := numbers_agree(ours, theirs)) is not None:
        return is_one
    mine, others = ours.facts, theirs.facts
    texts = ((mine.input, others.input), (mine.output, others.output))
    return ours.error is not None or any(a and a == b for a, b in texts)


def _answer_the_same(ours: NormalizedSpan, theirs: NormalizedSpan) -> bool:
    """Return whether both or none failed, with equal counts and answers; ends may differ.

    Some instrumentations end a streamed call when the stream begins, others when it was read.
    """
    if bool(ours.error) != bool(theirs.error) or numbers_agree(ours, theirs) is not True:
        return False
    return answer_alike(ours.facts.output, theirs.facts.output)


def _is_stream_start(ours: NormalizedSpan, theirs: NormalizedSpan) -> bool:
    """Return whether both spans began together, and one may be only the beginning of a stream."""
    apart_ns = abs(ours.span.start_ns - theirs.span.start_ns)
    shorter_ns, longer_ns = sorted((_lasted_ns(ours), _lasted_ns(theirs)))
    return apart_ns <= SLACK_NS and shorter_ns * _BRIEF < longer_ns


def _overlap(ours: NormalizedSpan, theirs: NormalizedSpan) -> bool:
    """Return whether the spans overlap for at least half of the shorter one's duration."""
    return 2 * _shared_ns(ours, theirs) >= min(_lasted_ns(ours), _lasted_ns(theirs))


def _last_alike(ours: NormalizedSpan, theirs: NormalizedSpan) -> bool:
    """Return whether the spans overlap for at least four fifths of the longer one's duration."""
    return 5 * _shared_ns(ours, theirs) >= 4 * max(_lasted_ns(ours), _lasted_ns(theirs))


def _shared_ns(ours: NormalizedSpan, theirs: NormalizedSpan) -> int:
    first, second = ours.span, theirs.span
    return min(first.end_ns, second.end_ns) - max(first.start_ns, second.start_ns)


def _lasted_ns(n: NormalizedSpan) -> int:
    return n.span.end_ns - n.span.start_ns


def _name(n: NormalizedSpan) -> str:
    return n.facts.tool_name if n.kind is _TOOL else n.facts.agent_name
