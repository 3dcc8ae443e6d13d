"""The tree of the spans of one instrumentation, without the spans of others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.spans import make_span

from spanloom.core.conventions.view import OwnTree
from spanloom.core.model.tree import SpanTree

if TYPE_CHECKING:
    from spanloom.core.model.span import Span


def ours(number: int, parent: int) -> Span:
    return make_span(number, parent, scope="ours", start=number)


def theirs(number: int, parent: int) -> Span:
    return make_span(number, parent, scope="theirs", start=number)


def own_tree(*spans: Span) -> OwnTree:
    return OwnTree(SpanTree(spans), lambda span: span.scope_name == "ours")


def test_the_nearest_own_span_above_is_the_parent() -> None:
    run, node, call = ours(1, 0), ours(4, 3), ours(5, 4)
    found = own_tree(run, theirs(2, 1), theirs(3, 2), node, call)
    assert found.parent(node) is run
    assert found.parent(call) is node
    assert list(found.children(run)) == [node]
    assert found.parent(run) is None


def test_spans_of_others_have_a_parent_and_are_nobodys_children() -> None:
    run, other = ours(1, 0), theirs(2, 1)
    found = own_tree(run, other)
    assert found.parent(other) is run
    assert found.children(run) == ()


def test_what_only_others_are_around_is_on_top() -> None:
    top = ours(2, 1)
    assert own_tree(theirs(1, 0), top).parent(top) is None
