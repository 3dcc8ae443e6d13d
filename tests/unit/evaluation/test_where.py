"""Evaluators of the kind ``where``: conditions on one document, without a store."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import orjson
import pytest
from tests.support.otlp_requests import START_NS
from tests.support.texts import model, step
from tests.support.trajectory_records import make_trajectory

from spanloom.core.document import Document
from spanloom.core.formats.canonical import encode_document
from spanloom.core.matching.of_document import row_of
from spanloom.core.model.span import TraceKey
from spanloom.core.model.trajectory import Status
from spanloom.core.records.declared import FieldType
from spanloom.core.records.run import RUN
from spanloom.core.records.step import STEP
from spanloom.evaluation import InvalidEvaluatorError
from spanloom.evaluation.contract.view import WHOLE, Part
from spanloom.evaluation.evaluate import evaluate, judge_one
from spanloom.evaluation.making import make_evaluator
from spanloom.evaluation.subject.subject import Subject

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from spanloom.core.model.step import Step

KEY = TraceKey("shop", "ab" * 16)
BOOKING = (
    step(1, '{"q":1}', "free rooms", name="search"),
    step(2, "{}", error="rate limit", name="verify"),
    model(3, '[{"role":"user","content":"refund order 42"}]', "done"),
    step(4, "{}", "ok", name="refund"),
)
SEARCH, VERIFY, CHAT, REFUND = (f"{number:016x}" for number in (2, 3, 4, 5))


def document(steps: Iterable[Step] = BOOKING) -> Any:  # a JSON object
    trajectory = make_trajectory(KEY, steps=list(steps))
    return orjson.loads(encode_document(trajectory, 1, Status.SETTLED))


def result(expr: str, run: object = None) -> Mapping[str, Any]:
    [found] = evaluate(run or document(), {"kind": "where", "name": "w", "expr": expr})
    return found


@pytest.mark.parametrize(
    ("expr", "holds", "evidence"),
    [
        ('has(tool = "verify" then tool = "refund")', True, [VERIFY, REFUND]),
        ('not has(tool = "verify" then tool = "refund")', False, [VERIFY, REFUND]),
        ('has(tool = "refund" then tool = "verify")', False, []),
        ('has(tool = "search" within 2 type = model)', True, [SEARCH, CHAT]),
        ('has(tool = "search" next type = model)', False, []),
        ("not has(type = tool)", False, [SEARCH, VERIFY, REFUND]),
        ("count(type = tool and error) = 1", True, [VERIFY]),
        ("count(type = tool) > 3", False, [SEARCH, VERIFY, REFUND]),
        ("has(error under type = agent)", True, [f"{1:016x}", VERIFY]),
        ("has(type = model child of type = tool)", False, []),
        ('"order refund"', True, [CHAT]),
        ('error: "limit" and not output: "limit"', True, [VERIFY]),
        ("steps > 100 or has(error)", True, [VERIFY]),
        ("steps > 100 and has(error)", False, []),
    ],
)
def test_evidence_is_the_steps_that_decide(expr: str, holds: bool, evidence: list[str]) -> None:
    found = result(expr)
    assert (found["status"], found["value"], found["passed"]) == ("ok", holds, holds)
    assert [one["step_id"] for one in found["evidence"]] == evidence


def test_the_rationale_has_the_values_of_the_fields_that_decide() -> None:
    told = result('cost > 0.05 and duration > 2s and status = settled and agent = "refunds"')
    assert told["rationale"] == 'cost is absent; duration is 0ms; agent is "planner"'
    assert result('has(tool = "none")')["rationale"] == "no such step"
    assert "start is 20" in result("start < -1d")["rationale"]


def test_what_is_absent_never_passes() -> None:
    for expr in ("cost < 1", "cost > 0", "cost != 1", "first_token < 1m", 'user != "ada"'):
        assert result(expr)["passed"] is False
    assert result("not cost > 1")["passed"] is True


@pytest.mark.parametrize(
    ("expr", "holds"),
    [
        ("count(type = tool) / 2 = 1.5", True),
        ("count(error) / count(type = graph) > 0", False),
        ("count(error) / count(type = graph) != 0", False),
        ("not count(error) / (steps - steps) > 0", True),
        ("count(type = tool) -1 = 2 and 2 = count(type = tool) - 1", True),
        ("1 + 2 * 3 = 7 and (1 + 2) * 3 = 9 and 8 / 2 / 2 = 2 and 8 - 2 - 2 = 4", True),
        ("cost * 0 = 0 or cost + 1 != 0", False),
        ("has(duration / 1ms = 1 and duration * 2 <= 2ms then duration + 1s > 1s)", True),
        ('has(position * 2 - 1 = 7 and tool = "refund")', True),
        ("duration / wall_time <= 1 and wall_time >= 2 * duration", True),
    ],
)
def test_numbers_are_calculated(expr: str, holds: bool) -> None:
    assert result(expr)["value"] is holds


def test_a_calculation_shows_what_it_counted_and_read() -> None:
    found = result("count(error) / count(type = tool) < 0.1 and version / 2 > input_tokens + 1")
    assert found["rationale"] == "version is 1; input_tokens is 0; 3 steps found"
    assert [one["step_id"] for one in found["evidence"]] == [VERIFY, SEARCH, REFUND]


@pytest.mark.parametrize(
    ("expr", "reason"),
    [
        ("durtion > 5s", "no run field 'durtion' (at 0), did you mean duration?"),
        ("has(", "a condition is missing here (at 4)"),
        ("", "a condition is missing here (at 0)"),
        ("(" * 33 + "has_error", "nested deeper than 32 (at 32)"),
        ("has_error or " * 64 + "has_error", "more than 64 comparisons (at 832)"),
        (f'root_name = "{"x" * 4096}"', "longer than 4096 bytes (at 0)"),
        ('root_name ~ "(?=x)"', "(?= is not known here: patterns are RE2's (at 12)"),
        ('root_name ~ "a++"', "this is no pattern: bad repetition operator: ++ (at 12)"),
        ("steps > 1 and tols = 3", "no run field 'tols' (at 14)"),
    ],
)
def test_a_line_that_cannot_be_meant_is_refused_with_its_place(expr: str, reason: str) -> None:
    with pytest.raises(InvalidEvaluatorError) as refused:
        make_evaluator({"kind": "where", "expr": expr})
    assert refused.value.key == "expr"
    assert refused.value.reason.startswith(reason)


def test_a_pattern_takes_time_that_is_linear_in_the_text() -> None:
    run = document([step(1, "{}", error="a" * 900 + "!")])
    assert result('has(error_message ~ "^(a+)+$")', run)["value"] is False


def test_a_text_with_half_a_character_is_compared() -> None:
    run = document()
    run["root_step"]["name"] = "plan\ud800"
    assert result('root_name ~ "^plan" and root_name != "plan"', run)["value"] is True


def test_scores_are_those_of_the_subject_and_of_evaluators_before() -> None:
    checks = [
        {"kind": "where", "name": "quick", "expr": "duration < 1m"},
        {"kind": "where", "name": "both", "expr": "score.quick = 1 and score.people < 0.5"},
    ]
    subject = Subject(document(), scores={"people": 0.25})
    first, second = map(make_evaluator, checks)
    subject.earlier += judge_one(subject, first)
    assert [one.value for one in judge_one(subject, second)] == [True]
    assert evaluate(document(), checks)[1]["error_code"] == "unknown_score"


@pytest.mark.parametrize(
    "expr",
    ["score.none > 1", "has_error or score.none exists", "has(score.a > 1)", "annotated"],
)
def test_a_score_that_nobody_gave_is_an_error(expr: str) -> None:
    found = result(expr)
    assert (found["status"], found["error_code"]) == ("error", "unknown_score")
    assert found["value"] is None


def test_a_score_that_could_not_be_given_is_an_error() -> None:
    checks = [
        {"kind": "where", "name": "broken", "expr": "score.none > 1"},
        {"kind": "where", "name": "after", "expr": "not score.broken = 1"},
    ]
    assert [one["status"] for one in evaluate(document(), checks)] == ["error", "error"]


def test_a_run_knows_whether_it_is_annotated_if_its_caller_does() -> None:
    evaluator = make_evaluator({"kind": "where", "expr": "annotated"})
    [found] = judge_one(Subject(document(), scores={"annotated": True}), evaluator)
    assert found.value is True


def test_times_count_back_from_the_judgement(monkeypatch: pytest.MonkeyPatch) -> None:
    evaluator = make_evaluator({"kind": "where", "expr": "start >= -1h"})
    for hours, holds in ((0.5, True), (2, False)):
        now_ns = START_NS + int(hours * 3600 * 10**9)
        monkeypatch.setattr("time.time_ns", lambda now_ns=now_ns: now_ns)
        assert [one.value for one in judge_one(Subject(document()), evaluator)] == [holds]


def test_steps_of_one_millisecond_are_in_the_order_of_the_document() -> None:
    """Fast tools start and end within one millisecond, and ids do not show their order."""
    steps = [
        one._replace(id=f"{9 - at:016x}", start_ns=START_NS + at, end_ns=START_NS + at + 1)
        for at, one in enumerate(BOOKING)
    ]
    assert result('has(tool = "search" next error next type = model)', document(steps))["value"]


def test_steps_of_an_inner_agent_come_after_it() -> None:
    told = [
        {"role": "user", "content": "book a room"},
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [_call("search", "c1"), _call("verify", "c2")],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "rooms"},
        {"role": "tool", "tool_call_id": "c2", "content": "fine"},
        {"role": "assistant", "content": "booked"},
    ]
    assert result('has(type = model then tool = "search" then tool = "verify")', told)["value"]


def _call(name: str, call_id: str) -> Mapping[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": "{}"}}


def test_the_order_in_which_members_come_changes_nothing() -> None:
    """Times and the tree order the steps; the order in a list counts only for equal times."""
    expr = 'has(tool = "search" then error next type = model) and repeated_calls = 0'
    once = result(expr)
    for seed in range(5):
        shuffled = list(BOOKING)
        Random(seed).shuffle(shuffled)
        assert result(expr, document(shuffled)) == once


@pytest.mark.parametrize(
    "change",
    [
        {"root_step": {"basic_info": 5}},
        {"extraction": {"errors": [1]}},
        {"extraction": {"status": "odd"}},
        {"extraction": {"outcome": 7}},
        {"extraction": {"step_counts": [1]}},
        {"agent_steps": [{"steps": [{"id": "x", "type": "tool", "metadata": {"a": 1}}]}]},
    ],
)
def test_a_document_of_other_types_is_an_error(change: Mapping[str, Any]) -> None:
    expr = 'has_error and metadata.a = "1" and steps > 1 and has(tool exists)'
    found = result(expr, {**document(), **change})
    assert (found["status"], found["error_code"]) == ("error", "unreadable_run")


def test_a_document_that_lacks_nearly_all_is_judged() -> None:
    bare = {"root_step": {}, "agent_steps": [{"steps": [{}, {"type": "tool"}]}], "extraction": {}}
    assert result("steps = 0 and not has_error and not has(tool exists)", bare)["value"] is True
    assert result("count(type = tool) = 1", bare)["value"] is True


def test_every_field_has_a_value_without_sql() -> None:
    """The value comes from ``Queried.value``, or from a column that ``RunRow`` computes."""
    row = row_of(Document(document()))
    for queried in (one for one in RUN.queried if _is_in_the_row(one)):
        assert queried.value is not None, queried.name
        queried.value(row)
    for queried in (one for one in STEP.queried if _is_in_the_row(one)):
        assert queried.value is not None, queried.name
        [queried.value(step) for step in row.each_step()]


def _is_in_the_row(queried: Any) -> bool:  # a Queried
    return not queried.is_judgement and queried.type is not FieldType.WORDS


@pytest.mark.parametrize(
    ("expr", "view"),
    [
        ("input_tokens < 5000", {Part.TOKENS}),
        ("has_error", {Part.RUN}),
        ('has(tool = "a")', {Part.TYPES, Part.NAMES}),
        ('has(tool = "a" then error)', {Part.TYPES, Part.NAMES, Part.ERRORS, Part.TIMES}),
        ("has(error under type = agent)", {Part.TYPES, Part.ERRORS, Part.PARENTS}),
        ("longest_repeat < 3", {Part.TYPES, Part.NAMES, Part.ARGUMENTS, Part.TIMES}),
        ("score.other > 1", set()),
    ],
)
def test_the_view_is_what_the_fields_read(expr: str, view: set[Part]) -> None:
    assert make_evaluator({"kind": "where", "expr": expr}).judging.view == view


def test_no_field_needs_the_whole_run() -> None:
    for declaration, form in ((RUN, "{}"), (STEP, "has({})")):
        for queried in declaration.queried:
            made = make_evaluator({"kind": "where", "expr": form.format(queried.example)})
            assert made.judging.view != WHOLE, queried.name
