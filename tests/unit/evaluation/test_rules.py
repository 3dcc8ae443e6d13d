"""Evaluation by rules: valid configurations, what they declare, and the limits of judging."""

from __future__ import annotations

import contextlib
import json
import sys
from typing import Any

import pytest
from tests.support.judged_runs import WORDS, model, run, tool, user

from spanloom import evaluate
from spanloom.evaluation import InvalidEvaluatorError
from spanloom.evaluation.contract.view import Part
from spanloom.evaluation.making import make_evaluator
from spanloom.evaluation.rules import arguments, searching, shingles
from spanloom.evaluation.rules.facts import canonical
from spanloom.evaluation.rules.registry import RULES

TWO = run([tool("t1", "search", 10), tool("t2", "book", 30)])


def judged(rules: dict[str, Any], given: Any = TWO, **more: Any) -> list[dict[str, Any]]:
    return evaluate(given, {"kind": "rules", "name": "r", "rules": rules}, **more)


@pytest.mark.parametrize(
    ("rules", "place", "reason"),
    [
        ({}, "rules", "at least 1"),
        ({"max_step": 1}, "rules.max_step", "did you mean max_steps?"),
        ({"zzz": 1}, "rules.zzz", "there are max_steps, "),
        ({"max_steps": -1}, "rules.max_steps", "greater than or equal to 0"),
        ({"max_steps": True}, "rules.max_steps", "valid integer"),
        ({"max_steps": 1.5}, "rules.max_steps", "valid integer"),
        ({"max_steps": {"value": "x"}}, "rules.max_steps.value", "valid integer"),
        ({"max_steps": {"value": 1, "severity": "low"}}, "rules.max_steps.severity", "'warn'"),
        (
            {"max_steps": {"value": 1, "sverity": "warn"}},
            "rules.max_steps.sverity",
            "not permitted",
        ),
        ({"required_tools": []}, "rules.required_tools", "at least 1"),
        ({"order": ["a"]}, "rules.order.0", "at least 2"),
        ({"order": ["a", "b", "c"]}, "rules.order.0", "at most 2"),
        ({"repeats": 1}, "rules.repeats", "greater than or equal to 2"),
        ({"loop": {"period": 9, "times": 2}}, "rules.loop.period", "less than or equal to 8"),
        ({"loop": {}}, "rules.loop.times", "required"),
        ({"tokens": float("inf")}, "rules.tokens", "finite"),
        ({"errors": "ignored"}, "rules.errors", "'handled'"),
        ({"unused_results": False}, "rules.unused_results", "valid integer"),
        ({"arguments": "x"}, "rules.arguments", "'schema'"),
        ({"pii": ["name"]}, "rules.pii.kinds.0", "'email'"),
        ({"secrets": {"side": "left"}}, "rules.secrets.side", "'input'"),
        ({"answer": {"matches": "(?=x)"}}, "rules.answer.matches", "no pattern of RE2"),
        ({"answer": {"matches": "a" * 1_001}}, "rules.answer.matches", "at most 1000"),
        ({"answer": {"json_schema": {"type": "text"}}}, "rules.answer.json_schema", "type"),
        ({"answer": {"json_schema": {"pattern": "["}}}, "rules.answer.json_schema", "regex"),
        ({"answer": {"json_schema": {"enum": ["x" * 2**18]}}}, "rules.answer.json_schema", "bytes"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_its_place(
    rules: dict[str, Any], place: str, reason: str
) -> None:
    with pytest.raises(InvalidEvaluatorError) as caught:
        judged(rules)
    assert caught.value.key == place
    assert reason in caught.value.reason


@pytest.mark.parametrize("depth", [60, 65, 200, 100_000])
def test_a_configuration_that_is_nested_deep_is_refused(depth: int) -> None:
    schema: dict[str, Any] = {}
    for _ in range(depth):
        schema = {"not": schema}
    with contextlib.ExitStack() as stack:
        if depth > 60:
            refused = stack.enter_context(pytest.raises(InvalidEvaluatorError))
        judged({"answer": {"json_schema": schema}})
    assert depth == 60 or refused.value.key == "rules"


def test_a_configuration_that_unfolds_is_refused() -> None:
    laughs: list[Any] = ["ha"]
    for _ in range(30):
        laughs = [laughs] * 9
    own: list[Any] = []
    own.append(own)
    for value in (laughs, own):
        with pytest.raises(InvalidEvaluatorError, match="rules: it"):
            judged({"answer": {"json_schema": {"enum": value}}})


def test_rules_that_warn_are_declared() -> None:
    rules = {"max_steps": {"value": 0, "severity": "warn"}, "max_tool_calls": 0}
    judging = make_evaluator({"kind": "rules", "name": "r", "rules": rules}).judging
    assert judging.scores == ("r/max_steps", "r/max_tool_calls")
    assert judging.warn_scores == {"r/max_steps"}
    assert [one["label"] for one in judged(rules)] == ["warn", ""]


def test_the_view_is_what_the_rules_read() -> None:
    judging = make_evaluator({"kind": "rules", "rules": {"max_steps": 1}}).judging
    assert Part.OUTPUTS not in judging.view
    assert all(rule.reads for rule in RULES.values())


def test_a_rule_of_the_item_has_its_value_and_another_one_is_left_out() -> None:
    (one,) = judged({"max_steps": 0}, expected={"rules": {"max_steps": 9, "tokens": 1}})
    assert (one["name"], one["passed"]) == ("r/max_steps", True)


def test_recognisers_without_their_library_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "stdnum.luhn", None)
    with pytest.raises(InvalidEvaluatorError, match=r"rules\.pii: .*spanloom\[redaction\]"):
        judged({"pii": ["card"]})


def test_a_secret_is_in_no_result() -> None:
    key = "AKIA" + "Q" * 16
    (one,) = judged({"secrets": True}, run([tool("t1", "env", 1, None, f"AWS={key}")]))
    assert one["passed"] is False
    assert key not in json.dumps(one)
    (place,) = one["evidence"]
    assert (place["field"], place["start"], place["end"]) == ("output", 4, 24)


def test_only_a_match_makes_a_run_be_searched_text_by_text() -> None:
    heard = [user(f"message {at}") for at in range(50)]
    steps = [model(f"m{at}", at, heard[: at + 1]) for at in range(50)]
    said = searching.join_new([step["input"] for step in steps])
    assert said.count("message 0") == 1
    assert all(f"message {at}" in said for at in range(50))


def test_texts_beyond_the_bounds_are_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searching, "MAX_TEXT", 100)
    (one,) = judged({"secrets": True}, run([tool("t1", "env", 1, None, "a" * 101)]))
    assert (one["status"], one["error_code"]) == ("error", "too_large")
    monkeypatch.setattr(shingles, "_MOST_COMPARED", 50)
    steps = [model("m1", 1, [user("hi")]), tool("t1", "a", 9, None, "b" * 40)]
    steps.append(model("m2", 20, [user("a" * 90)]))
    (one,) = judged({"unused_results": True}, run(steps))
    assert (one["status"], one["error_code"]) == ("error", "too_large")


def test_texts_that_are_slow_to_search_are_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searching, "MAX_CPU_S", 0.0)
    (one,) = judged({"secrets": True}, run([tool("t1", "env", 1, None, "sk-" * 5_000)]))
    assert (one["status"], one["error_code"]) == ("error", "timeout")


def test_a_schema_that_doubles_its_work_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arguments, "MAX_WORK", 2_000)
    defs = {str(n): {"allOf": [{"$ref": f"#/$defs/{n + 1}"}] * 2} for n in range(40)} | {"40": {}}
    offered = json.dumps([{"name": "a", "parameters": {"$defs": defs, "$ref": "#/$defs/0"}}])
    steps = [model("m1", 1, metadata={"tool_definitions": offered}), tool("t1", "a", 9)]
    (one,) = judged({"arguments": "schema"}, run(steps))
    assert (one["status"], one["error_code"]) == ("error", "too_large")


def test_results_are_cut_to_their_ends_before_they_are_looked_for() -> None:
    long = "x" * 9_000 + WORDS + "x" * 9_000
    steps = [model("m1", 1, [user("hi")]), tool("t1", "a", 9, None, long)]
    (one,) = judged({"unused_results": True}, run([*steps, model("m2", 20, [user(WORDS)])]))
    assert one["passed"] is False
    (one,) = judged({"unused_results": True}, run([*steps, model("m2", 20, [user("x" * 40)])]))
    assert one["passed"] is True


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ('{"a": 1, "b": [2.0]}', '{"b":[2],"a":1}', True),
        ('{"a": 1}', '{"a": true}', False),
        ('{"a": 1}', '{"a": 1.5}', False),
        ("plain", "plain", True),
        ("[1, 2]", "[2, 1]", False),
        ("1e400", "2e400", False),
    ],
)
def test_arguments_are_compared_by_value(one: str, other: str, is_same: bool) -> None:
    assert (canonical(one) == canonical(other)) is is_same
