"""A stream that two instrumentations report is one call, whenever their spans begin or end.

Captured streams are tested in ``test_pairs``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.spans import chat, extract_spans, make_span

if TYPE_CHECKING:
    from collections.abc import Sequence


ANSWER = '[{"role":"assistant","content":"Rain, and later sun."}]'


def models(*times: tuple[float, float], answers: Sequence[str] = (ANSWER, ANSWER)) -> int:
    """Return how many model calls are counted if one scope reports each, with equal tokens."""
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
