"""Changes that a sender's settings made to attribute values are undone or lead to a warning."""

from __future__ import annotations

import json

import pytest
from tests.support.spans import chat, extract_spans, make_span

from spanloom.core.conventions.event_messages import DETAILS
from spanloom.core.conventions.operations import OPERATION
from spanloom.core.dialects.registry import DIALECTS
from spanloom.core.extraction.prepare import UNKNOWN, prepare
from spanloom.core.model.span import Event
from spanloom.core.model.trajectory import Outcome

QUESTION = json.dumps([{"role": "user", "parts": [{"type": "text", "content": "Rain?"}]}])
LANGCHAIN = "openinference.instrumentation.langchain"


def test_an_unknown_operation_counts_as_missing_with_a_warning() -> None:
    call = {**chat(3, 4), "gen_ai.request.model": "m", "gen_ai.operation.name": "frobnicate"}
    assert OPERATION not in prepare([make_span(1, 0, call)]).spans[0].attributes
    trajectory = extract_spans(make_span(1, 0, call))
    assert trajectory.step_counts["model"] == 1
    assert trajectory.root_metrics.input_tokens == 3
    assert trajectory.warnings == [
        UNKNOWN.format(key="gen_ai.operation.name", text="frobnicate", n=1)
    ]


def test_long_words_are_shortened_and_at_most_ten_are_shown() -> None:
    spans = [make_span(n, 1, {"traceloop.span.kind": f"{n}" + "x" * 900}) for n in range(2, 20)]
    warnings = [w for w in extract_spans(make_span(1), *spans).warnings if "unknown kind" in w]
    assert len(warnings) == 10
    assert max(map(len, warnings)) < 200


def test_messages_in_a_details_event_are_the_spans() -> None:
    event = Event(0, DETAILS, {"gen_ai.input.messages": QUESTION})
    for name in ("chat", "invoke_agent"):
        attributes = {"gen_ai.operation.name": name, "gen_ai.request.model": "m"}
        assert "Rain?" in str(extract_spans(make_span(1, 0, attributes, events=[event])).root.input)


def test_messages_in_events_of_their_own_come_after_the_instructions() -> None:
    attributes = {**chat(1, 1), "gen_ai.system_instructions": "Be brief."}
    events = [Event(0, "gen_ai.user.message", {"content": "Rain?"})]
    said = json.loads(str(extract_spans(make_span(1, 0, attributes, events=events)).root.input))
    assert [m["content"] for m in said] == ["Be brief.", "Rain?"]


@pytest.mark.parametrize(
    ("texts", "limit"),
    [(["x" * 4096], 4096), ([c * 300 for c in "abcd"], 300), (['{"a": "' + "x" * 1017], 1024)],
)
def test_values_of_one_length_that_end_in_the_middle_are_cut(texts: list[str], limit: int) -> None:
    spans = [make_span(n, min(n - 1, 1), {"notes": text}) for n, text in enumerate(texts, start=1)]
    n = len(texts)
    assert extract_spans(*spans).warnings == [
        f"{n} values end after exactly {limit} characters: their sender cut them there"
    ]


@pytest.mark.parametrize(
    "texts",
    [
        ["x" * 300],
        [c * 300 for c in "abc"],
        ["x" * 64],
        ['"' + "x" * 4094 + '"'],
        ["x" * 4096, "x" * 4097],
    ],
)
def test_other_long_values_are_not(texts: list[str]) -> None:
    spans = [make_span(n, min(n - 1, 1), {"notes": text}) for n, text in enumerate(texts, start=1)]
    assert extract_spans(*spans).warnings == []


def test_counts_under_names_of_another_convention_are_read() -> None:
    call = {
        "openinference.span.kind": "LLM",
        "gen_ai.usage.input_tokens": "3",
        "completion_tokens": "4",
    }
    metrics = extract_spans(make_span(1, 0, call, scope=LANGCHAIN)).root_metrics
    assert (metrics.input_tokens, metrics.output_tokens) == (3, 4)


def test_a_librarys_spans_from_an_unknown_scope_are_warned_of() -> None:
    marked = {"openinference.span.kind": "CHAIN"}
    alone = extract_spans(
        make_span(1, 0, marked, scope="acme"), make_span(2, 1, marked, scope="acme")
    )
    assert alone.warnings == [
        "unknown scope: 'acme' (2 spans); they were read by their attributes alone"
    ]
    beside = extract_spans(
        make_span(1, 0, marked, scope=LANGCHAIN), make_span(2, 1, marked, scope="acme")
    )
    assert beside.warnings == []
    by_hand = extract_spans(make_span(1, 0, chat(1, 1), scope="acme"))
    assert (by_hand.warnings, by_hand.outcome) == ([], Outcome.OK)


@pytest.mark.parametrize("scope", sorted({d.own_scope for d in DIALECTS if d.own_scope}))
def test_the_own_scope_of_a_dialect_is_known(scope: str) -> None:
    marked = make_span(1, 0, {"openinference.span.kind": "CHAIN"}, scope=scope)
    assert not [w for w in extract_spans(marked).warnings if w.startswith("unknown scope")]
