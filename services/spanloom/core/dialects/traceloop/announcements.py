"""Pairs OpenLLMetry's two spans of a run: an announcement with the name, and its twin.

The ``invoke_agent`` span has only the name; its twin, a child or a later sibling, has LangChain's
run metadata. If another instrumentation's spans are between them, the two have other parents: then
the twin is a span with the same name that ran while the announcement was open.
"""

from __future__ import annotations

from collections import defaultdict, deque
from typing import TYPE_CHECKING

from spanloom.core.conventions.tree import MAX_OPEN
from spanloom.core.dialects.otel_genai import OPERATION
from spanloom.core.dialects.traceloop.attributes import ENTITY_NAME, SPAN_KIND, entity_name
from spanloom.core.model.tree import encloses

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from spanloom.core.conventions.view import TraceView
    from spanloom.core.model.span import Span
    from spanloom.core.model.tree import SpanTree

_ANNOUNCES = "invoke_agent "


def twin_of(span: Span, view: TraceView) -> Span | None:
    """Return the span that reports the same run with metadata: a child, else a later sibling."""
    name = _agent_name(span)
    if (child := view.remember_children(_first_by_name, span).get(name)) is not None:
        return child
    parent = view.tree.parent(span)
    siblings = {} if parent is None else view.remember_children(_sibling_twins, parent)
    return siblings.get(span.span_id) or view.remember_tree(_far_twins).get(span.span_id)


def announcement_of(twin: Span, view: TraceView) -> Span | None:
    """Return the announcement of the run that ``twin`` reports with metadata, or ``None``."""
    parent = view.tree.parent(twin)
    if parent is None:
        return None
    if is_announcement(parent) and twin_of(parent, view) is twin:
        return parent
    siblings = view.remember_children(_sibling_announcements, parent)
    return siblings.get(twin.span_id) or view.remember_tree(_far_announcements).get(twin.span_id)


def is_announcement(span: Span) -> bool:
    """Return whether the span reports only the name of a run: ``invoke_agent planner``."""
    attributes = span.attributes
    if SPAN_KIND in attributes or attributes.get(OPERATION, "invoke_agent") != "invoke_agent":
        return False
    return span.name.startswith(_ANNOUNCES) or (
        OPERATION in attributes and ENTITY_NAME not in attributes
    )


def _first_by_name(children: Sequence[Span]) -> dict[str, Span]:
    first: dict[str, Span] = {}
    for child in children:
        if not is_announcement(child) and (name := entity_name(child)):
            first.setdefault(name, child)
    return first


def _pairs(children: Sequence[Span]) -> Iterator[tuple[Span, Span]]:
    """Pair each announcement with the next sibling of the same name, in order."""
    waiting: defaultdict[tuple[str, str], deque[Span]] = defaultdict(deque)
    for child in children:
        if is_announcement(child):
            waiting[child.scope_name, _agent_name(child)].append(child)
        elif queue := waiting.get((child.scope_name, entity_name(child))):
            yield queue.popleft(), child


def _sibling_twins(children: Sequence[Span]) -> dict[str, Span]:
    return {announcement.span_id: twin for announcement, twin in _pairs(children)}


def _sibling_announcements(children: Sequence[Span]) -> dict[str, Span]:
    return {twin.span_id: announcement for announcement, twin in _pairs(children)}


def _far_pairs(tree: SpanTree) -> Iterator[tuple[Span, Span]]:
    """Pair announcements without a near twin with spans that ran while they were open."""
    taken = set(_near(tree))
    waiting: defaultdict[tuple[str, str], list[Span]] = defaultdict(list)
    for span in tree.spans:
        if span.span_id in taken:
            continue
        if is_announcement(span):
            waiting[span.scope_name, _agent_name(span)].append(span)
        elif open_runs := waiting.get((span.scope_name, entity_name(span))):
            latest = range(len(open_runs) - 1, max(-1, len(open_runs) - 1 - MAX_OPEN), -1)
            around = next((n for n in latest if encloses(open_runs[n], span)), None)
            if around is not None:
                yield open_runs.pop(around), span


def _near(tree: SpanTree) -> Iterator[str]:
    """Yield the ids of announcements and twins that are parent and child, or siblings."""
    for span in tree.spans:
        children = tree.children(span)
        if is_announcement(span) and (twin := _first_by_name(children).get(_agent_name(span))):
            yield from (span.span_id, twin.span_id)
        for announcement, twin in _pairs(children):
            yield from (announcement.span_id, twin.span_id)


def _far_twins(tree: SpanTree) -> dict[str, Span]:
    return {announcement.span_id: twin for announcement, twin in _far_pairs(tree)}


def _far_announcements(tree: SpanTree) -> dict[str, Span]:
    return {twin.span_id: announcement for announcement, twin in _far_pairs(tree)}


def _agent_name(announcement: Span) -> str:
    name = announcement.attributes.get("gen_ai.agent.name")
    return name or announcement.name.removeprefix(_ANNOUNCES)
