"""The tree of a trace's spans, however incomplete or contradictory the spans are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.growth import assert_linear
from tests.support.spans import make_span, numbers, sid

from spanloom.core.model.tree import SpanTree

if TYPE_CHECKING:
    from random import Random

    from spanloom.core.model.span import Span

CYCLES = "parent cycles"
ORPHANS = "a parent that is not in the trace"
EXTRA_ROOTS = "have no parent"
NO_ROOT = "the earliest topmost span stands in for the root"
STAND_IN = "a root is made around the topmost spans"


def warned(tree: SpanTree) -> list[str]:
    """Return which repairs the warnings of the tree report, in a fixed order."""
    known = (NO_ROOT, STAND_IN, EXTRA_ROOTS, ORPHANS, CYCLES)
    return [text for text in known for warning in tree.warnings if text in warning]


def place(tree: SpanTree, number: int) -> int:
    """Return the number of the span above another in the tree; 0 for the root."""
    span = next(s for s in tree.placed if s.span_id == sid(number))
    above = tree.place(span)
    return int(above.span_id, 16) if above else 0


def test_a_whole_trace_needs_no_repair() -> None:
    tree = SpanTree([make_span(3, 2, start=2), make_span(1), make_span(2, 1, start=1)])
    assert numbers(tree.spans) == numbers(tree.top_down) == [1, 2, 3]
    assert (tree.root.span_id, tree.has_root, tree.warnings) == (sid(1), True, [])
    assert numbers(tree.ancestors(tree.spans[2])) == [2, 1]
    assert numbers(tree.children(tree.root)) == [2]


def test_spans_are_ordered_by_start_then_id() -> None:
    tree = SpanTree([make_span(4, 1, start=1), make_span(3, 1, start=1), make_span(1)])
    assert numbers(tree.spans) == [1, 3, 4]
    assert numbers(tree.siblings(tree.spans[2])) == [3, 4]


def test_a_tree_needs_a_span() -> None:
    with pytest.raises(ValueError, match="at least one span"):
        SpanTree([])


def test_orphans_hang_below_the_root_and_have_no_parent() -> None:
    tree = SpanTree([make_span(1, start=5), make_span(2, 99, start=1), make_span(3, 2, start=2)])
    assert tree.root.span_id == sid(1)
    assert [place(tree, n) for n in (1, 2, 3)] == [0, 1, 2]
    assert tree.parent(tree.spans[0]) is None
    assert warned(tree) == [ORPHANS]
    assert tree.warnings[0].startswith("1 spans")


def test_of_several_roots_the_earliest_is_the_root() -> None:
    tree = SpanTree([make_span(3, start=1), make_span(2, start=1), make_span(1, start=2)])
    assert tree.root.span_id == sid(2)
    assert [place(tree, n) for n in (1, 2, 3)] == [2, 0, 2]
    assert warned(tree) == [EXTRA_ROOTS]


def test_a_root_wins_over_an_earlier_orphan() -> None:
    tree = SpanTree([make_span(1, 99), make_span(2, start=50)])
    assert (tree.root.span_id, tree.has_root) == (sid(2), True)


def test_without_a_root_the_only_topmost_span_stands_in() -> None:
    tree = SpanTree([make_span(1, 2, start=0), make_span(2, 99, start=3)])
    assert (tree.root.span_id, tree.has_root, tree.stand_in) == (sid(2), False, None)
    assert [place(tree, n) for n in (1, 2)] == [2, 0]
    assert warned(tree) == [NO_ROOT]


def test_without_a_root_one_is_made_around_several_topmost_spans() -> None:
    tree = SpanTree(
        [
            make_span(1, 99, start=0, end=5),
            make_span(2, 99, start=3, end=9),
            make_span(3, 98, start=4, end=7),
            make_span(4, 2, start=4),
        ]
    )
    assert (tree.root, tree.root.span_id, tree.has_root) == (tree.stand_in, sid(99), False)
    assert numbers(tree.spans) == [1, 2, 3, 4]
    assert numbers(tree.placed) == [99, 1, 2, 3, 4]
    assert [place(tree, n) for n in (1, 2, 3, 4)] == [99, 99, 99, 2]
    assert tree.parent(tree.spans[0]) is None
    assert tree.root.end_ns == max(span.end_ns for span in tree.spans)
    assert warned(tree) == [STAND_IN, ORPHANS]
    assert tree.warnings[1].startswith("1 spans")


def test_a_single_topmost_span_gets_a_root_if_it_is_none_itself() -> None:
    spans = [make_span(1, 2, start=0), make_span(2, 99, start=3)]
    tree = SpanTree(spans, is_top_no_root=True)
    assert (tree.root, tree.root.span_id, tree.has_root) == (tree.stand_in, sid(99), False)
    assert [place(tree, n) for n in (1, 2)] == [2, 99]
    assert warned(tree) == [STAND_IN]
    whole = [make_span(99, start=0), *spans]
    assert SpanTree(whole, is_top_no_root=True).stand_in is None
    assert SpanTree([make_span(7, 7)], is_top_no_root=True).stand_in is None


def test_a_root_made_for_others_has_the_id_of_a_missing_span() -> None:
    tree = SpanTree([make_span(1, 2), make_span(2, 1, start=1), make_span(3, 98, start=2)])
    assert (tree.root.span_id, tree.stand_in is not None) == (sid(98), True)
    circles = SpanTree([make_span(1, 1), make_span(2, 2, start=1)])
    assert (circles.root.span_id, circles.stand_in) == (sid(1), None)


def test_a_span_that_is_its_own_parent_is_cut_off() -> None:
    tree = SpanTree([make_span(1), make_span(2, 2, start=1), make_span(3, 2, start=2)])
    assert [place(tree, n) for n in (1, 2, 3)] == [0, 1, 2]
    assert numbers(tree.children(tree.spans[1])) == [3]
    assert warned(tree) == [CYCLES]


def test_a_trace_that_is_one_self_parent_has_it_as_root() -> None:
    tree = SpanTree([make_span(7, 7)])
    assert (tree.root.span_id, tree.has_root) == (sid(7), False)
    assert warned(tree) == [NO_ROOT]


@pytest.mark.parametrize("length", [2, 3, 4, 7, 50])
def test_a_cycle_is_cut_at_its_earliest_span(length: int) -> None:
    around = [make_span(10 + i, 10 + (i + 1) % length, start=100 - i) for i in range(length)]
    tail = make_span(500, 10 + length // 2, start=1)
    tree = SpanTree([*around, tail, make_span(1)])
    earliest = 10 + length - 1
    assert place(tree, earliest) == 1
    assert place(tree, 500) == 10 + length // 2
    assert sorted(numbers(tree.top_down)) == sorted([1, 500, *range(10, 10 + length)])
    assert warned(tree) == [CYCLES]


def test_each_cycle_is_cut_once() -> None:
    pairs = [make_span(10 + i, 10 + (i ^ 1), start=i) for i in range(8)]
    tree = SpanTree([make_span(1, start=-1), *pairs])
    assert [place(tree, 10 + i) for i in range(0, 8, 2)] == [1, 1, 1, 1]
    assert tree.warnings == [w for w in tree.warnings if w.startswith("4 parent cycles")]


@pytest.mark.parametrize("closed", [False, True])
def test_a_chain_20_000_deep_ends_soon(*, closed: bool) -> None:
    def make_tree(depth: int) -> None:
        top = depth if closed else 0
        spans = [make_span(1, top), *(make_span(i, i - 1, start=i) for i in range(2, depth + 1))]
        spans.reverse()
        tree = SpanTree(spans)
        assert numbers(tree.top_down) == list(range(1, depth + 1))
        assert len(list(tree.ancestors(tree.spans[-1]))) == depth - 1

    assert_linear(make_tree, 20_000)


@st.composite
def forests(draw: st.DrawFn) -> list[Span]:
    """Draw spans with any parents: trees, orphans, cycles and roots, some with equal starts."""
    count = draw(st.integers(1, 12))
    parents = draw(st.lists(st.integers(0, 14), min_size=count, max_size=count))
    starts = draw(st.lists(st.integers(0, 3), min_size=count, max_size=count))
    return [make_span(i + 1, parents[i], start=starts[i]) for i in range(count)]


@given(forests(), st.randoms(use_true_random=False))
def test_every_span_has_one_place_whatever_the_order(spans: list[Span], shuffle: Random) -> None:
    tree = SpanTree(spans)
    assert sorted(numbers(tree.top_down)) == sorted(numbers(tree.placed))
    assert sorted(numbers(tree.spans)) == sorted(numbers(spans))
    assert [s for s in tree.placed if tree.place(s) is None] == [tree.root]
    seen: set[str] = set()
    for span in tree.top_down:
        above = tree.place(span)
        assert above is None or above.span_id in seen
        seen.add(span.span_id)
    shuffled = list(spans)
    shuffle.shuffle(shuffled)
    again = SpanTree(shuffled)
    assert [again.place(s) for s in again.spans] == [tree.place(s) for s in tree.spans]
    assert (again.top_down, again.warnings) == (tree.top_down, tree.warnings)
