"""Which dialect reads a span that speaks several."""

from __future__ import annotations

import pytest
from tests.support.spans import make_span, normalized

from spanloom.core.dialects.registry import DIALECTS, find_dialect

MARKS = [
    ("eino", {"runinfo.component": "Lambda"}),
    ("openinference", {"openinference.span.kind": "CHAIN"}),
    ("langsmith", {"langsmith.span.kind": "chain"}),
    ("traceloop", {"traceloop.entity.path": ""}),
    ("otel_genai", {"gen_ai.operation.name": "chat"}),
    ("fallback", {}),
]


def test_each_dialect_is_known_by_its_mark() -> None:
    assert [find_dialect(make_span(1, 0, said)).id for _, said in MARKS] == [d.id for d in DIALECTS]


@pytest.mark.parametrize("at", range(len(MARKS)))
def test_the_more_particular_mark_wins(at: int) -> None:
    said = {key: value for _, marks in MARKS[at:] for key, value in marks.items()}
    assert find_dialect(make_span(1, 0, said)).id == MARKS[at][0]


def test_what_nobody_claims_shows_its_texts_as_root() -> None:
    found = normalized(make_span(1, 0, {"input.value": "in", "output.value": "out"}))[1]
    assert (found.dialect, str(found.kind)) == ("fallback", "other")
    assert (found.facts.input, found.facts.output) == ("in", "out")
