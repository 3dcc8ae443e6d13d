"""Rules and metrics judge any document, and anything else, within bounds and without raising."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.each_capture import spread
from tests.support.examples import examples, is_long
from tests.support.extracted_captures import extract_capture
from tests.support.ground_truth import all_captures
from tests.support.span_strategies import traces
from tests.support.spans import KEY

from spanloom import evaluate
from spanloom.core.document import Document
from spanloom.core.extract import extract
from spanloom.core.formats.canonical import encode_document
from spanloom.core.model.trajectory import Status
from spanloom.evaluation import InvalidEvaluatorError
from spanloom.evaluation.making import make_evaluators
from spanloom.evaluation.rules.rule import MAX_EVIDENCE
from spanloom.evaluation.rules.shingles import SHINGLE, Sought, find_reached

if TYPE_CHECKING:
    from random import Random

    from tests.support.ground_truth import Capture

    from spanloom.core.model.span import Span

RULES: dict[str, Any] = {
    "max_steps": 3,
    "max_model_calls": {"value": 1, "per": "agent"},
    "max_tool_calls": 1,
    "required_tools": ["*_*"],
    "allowed_tools": ["a*", "get_*"],
    "forbidden_tools": ["*[!a]*"],
    "order": [["*", "*a*"], ["get_*", "*"]],
    "never_after": ["*", "*"],
    "repeats": 2,
    "loop": {"times": 2},
    "tokens": 10,
    "cost_usd": 0.001,
    "duration_ms": 5,
    "llm_wall_ms": {"value": 1, "per": "agent"},
    "first_token_ms": {"value": 1, "per": "agent"},
    "errors": "handled",
    "unused_results": {"value": True, "per": "agent"},
    "arguments": "schema",
    "pii": True,
    "secrets": True,
    "answer": {"matches": "(a|b)*c", "json_schema": {"type": "object"}},
}
ALL = make_evaluators([{"kind": "rules", "name": "r", "rules": RULES}, {"kind": "databricks"}])
MOST_CAPTURES = 600 if is_long() else 12
CRASHES = {"crashed", "not_finite"}
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=40),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)
texts = st.text(max_size=60) | json_values.map(json.dumps)
errors = st.none() | st.fixed_dictionaries({"code": st.integers(), "msg": texts})
times: st.SearchStrategy[Any] = st.fixed_dictionaries(
    {"started_at": st.integers(0, 30).map(str), "duration": st.integers(0, 9).map(str)},
    optional={"error": errors},
)
members: dict[Any, st.SearchStrategy[Any]] = {
    "id": st.text(max_size=3),
    "name": st.sampled_from(["a", "get_a", "b", ""]),
    "basic_info": times,
}
steps = st.fixed_dictionaries(
    members
    | {
        "type": st.sampled_from(["tool", "tool", "model", "agent", "graph", "?"]),
        "input": texts,
        "output": texts,
        "metadata": st.dictionaries(
            st.sampled_from(["tool_call_id", "tool_definitions", "cost", "tool_kind", "model"]),
            texts,
        ),
    }
)
agents = st.fixed_dictionaries(members | {"steps": st.lists(steps)})
documents = st.fixed_dictionaries(
    {
        "id": st.just("x"),
        "root_step": st.fixed_dictionaries(members | {"output": texts}),
        "agent_steps": st.lists(agents, max_size=3),
        "extraction": st.dictionaries(
            st.sampled_from(["cost", "llm_wall_ms", "root_type", "time_to_first_token_ms"]),
            json_values,
        ),
    }
)


@given(documents, st.none() | st.dictionaries(st.sampled_from(["rules", "response"]), json_values))
@settings(deadline=None, max_examples=examples(500, every_day=10))
def test_any_document_is_judged_once_by_each_rule(document: Any, expected: Any) -> None:
    results = evaluate(document, ALL, expected=expected)
    assert [one["name"] for one in results] == [name for e in ALL for name in e.judging.scores]
    for one in results:
        assert one["status"] == "ok" or one["passed"] is None
        assert len(one["evidence"]) <= MAX_EVIDENCE
        assert len(one["rationale"]) < 5_000
    assert evaluate(document, ALL, expected=expected) == results


@given(json_values)
@settings(deadline=None, max_examples=examples(300))
def test_any_value_as_a_run_never_raises(value: Any) -> None:
    for run in (value, {"root_step": value, "agent_steps": [value], "extraction": {}}):
        assert len(evaluate(run, ALL)) == sum(len(one.judging.scores) for one in ALL)


@given(st.dictionaries(st.sampled_from([*RULES, "zzz"]), json_values, min_size=1))
@settings(deadline=None, max_examples=examples(300))
def test_any_configuration_is_meant_or_refused_with_its_place(rules: Any) -> None:
    refusal = None
    try:
        make_evaluators({"kind": "rules", "rules": rules})
    except InvalidEvaluatorError as error:
        refusal = error
    assert refusal is None or (refusal.key.startswith("rules.") and refusal.reason)


@given(traces(), st.randoms(use_true_random=False))
@settings(deadline=None, max_examples=examples(100, every_day=10))
def test_shuffled_spans_have_the_same_results(spans: list[Span], random: Random) -> None:
    def judged() -> Any:
        return evaluate(encode_document(extract(KEY, spans), 1, Status.SETTLED), ALL)

    expected = judged()
    assert not {one["error_code"] for one in expected} & CRASHES
    random.shuffle(spans)
    assert judged() == expected


@pytest.mark.parametrize("capture", spread(all_captures(), MOST_CAPTURES), ids=lambda one: one.id)
def test_captured_runs_are_judged_without_an_error(capture: Capture) -> None:
    for answer in extract_capture(capture):
        results = evaluate(answer.document, ALL)
        assert not [one for one in results if one["status"] == "error"]
        ids = Document(answer.document).by_id().keys()
        assert {place["step_id"] for one in results for place in one["evidence"]} <= ids
        assert evaluate(orjson.dumps(answer.document), ALL) == results


letters = st.text("ab", min_size=0, max_size=80)


@given(st.lists(letters, max_size=4), st.dictionaries(letters, st.integers(0, 9), max_size=4))
@settings(deadline=None, max_examples=examples(500))
def test_shared_shingles_are_those_of_a_plain_search(outputs: list[str], said: Any) -> None:
    sought = [Sought(at, [output], after=4) for at, output in enumerate(outputs)]

    def is_reached(output: str) -> bool:
        later = [text for text, last in said.items() if last > 4]
        if len(output) < SHINGLE:
            return output in later or any(bool(output) and output in text for text in later)
        cuts = [output[at : at + SHINGLE] for at in range(len(output) - SHINGLE + 1)]
        return any(cut in text for cut in cuts for text in later)

    assert find_reached(sought, said) == {at for at, o in enumerate(outputs) if is_reached(o)}
