"""A stream that two instrumentations report is one call, whenever each of them ends or begins."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.ground_truth import pair_captures
from tests.support.mutations import traces_of
from tests.support.spans import MS, chat, extract_spans, make_span

from spanloom.core.dialects.registry import normalize
from spanloom.core.model.trajectory import Kind
from spanloom.core.model.tree import SpanTree
from spanloom.extractor.extract import extract

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from spanloom.core.model.span import Span, TraceKey

    Shift = Callable[[Span], Span]


def _lasted(span: Span) -> int:
    return span.end_ns - span.start_ns


SHIFTS: dict[str, Shift] = {
    "ends late": lambda s: s._replace(end_ns=s.end_ns + _lasted(s) // 3 + 30 * MS),
    "ends early": lambda s: s._replace(end_ns=s.start_ns + _lasted(s) * 2 // 5),
    "ends at once": lambda s: s._replace(end_ns=s.start_ns + 2 * MS),
    "begins late": lambda s: s._replace(start_ns=s.start_ns + _lasted(s) // 3),
}


def streams() -> Iterator[tuple[TraceKey, Sequence[Span]]]:
    """Yield the traces of captured streams that several instrumentations report."""
    for capture in pair_captures():
        if "stream" in capture.scenario:
            yield from traces_of(capture).items()


def scopes_of(spans: Sequence[Span]) -> dict[str, set[str]]:
    """Return the ids of the model calls by the scope that reports them."""
    found: dict[str, set[str]] = {}
    for n in normalize(SpanTree(spans)):
        if n.kind is Kind.MODEL:
            found.setdefault(n.span.scope_name, set()).add(n.span.span_id)
    return found


@pytest.mark.parametrize("name", SHIFTS)
def test_captured_streams_are_one_call_whenever_one_report_ends(name: str) -> None:
    shift, compared, wrong = SHIFTS[name], 0, []
    for key, spans in streams():
        scopes = scopes_of(spans)
        if len(scopes) < 2:
            continue
        calls = extract(key, spans).step_counts["model"]
        for scope, ids in scopes.items():
            changed = [shift(s) if s.span_id in ids else s for s in spans]
            compared += 1
            if extract(key, changed).step_counts["model"] != calls:
                wrong.append((key.trace_id, scope))
    assert (compared > 50, wrong) == (True, [])


ANSWER = '[{"role":"assistant","content":"Rain, and later sun."}]'


def models(*times: tuple[float, float], answers: Sequence[str] = (ANSWER, ANSWER)) -> int:
    """Return how many calls two scopes tell that ran at these times, with equal counts."""
    spans = [
        make_span(
            number + 1,
            9,
            chat(7, 5, output__messages=answer, request__model="m"),
            start=start,
            end=end,
            scope=f"scope {number}",
        )
        for number, ((start, end), answer) in enumerate(zip(times, answers, strict=True))
    ]
    return extract_spans(make_span(9, end=9_000), *spans).step_counts["model"]


def test_a_report_that_begins_and_ends_late_is_the_same_call_if_it_has_the_same_answer() -> None:
    assert models((0, 1000), (300, 1400)) == 1
    other = ANSWER.replace("Rain", "Snow")
    assert models((0, 1000), (300, 1400), answers=(ANSWER, other)) == 2
    assert models((0, 1000), (300, 1400), answers=("", "")) == 2


def test_the_beginning_of_a_stream_is_the_stream() -> None:
    assert models((5, 1000), (0, 3)) == 1
    assert models((0, 3), (5, 8)) == 2, "one after the other, as long as each other"
    assert models((0, 3), (100, 1000)) == 2, "much later"
