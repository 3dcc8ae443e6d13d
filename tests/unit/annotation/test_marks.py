"""Marks of annotators: the result of edits, the score, and simultaneous edits in two windows."""

from __future__ import annotations

import pytest
from tests.support.annotated_runs import SEED

from spanloom.core.annotation.marks import (
    Score,
    apply_edit,
    conflicts,
    find_problems,
    plain,
    score_of,
)
from spanloom.core.annotation.scheme_reader import read_scheme
from spanloom.core.model.annotation import NOTHING, Mark

SCHEME = read_scheme(SEED).scheme
WRONG = Mark("incorrect", "execution", "wrong_tool", "major", "a more specific selector")


def test_the_published_example_comes_to_95_and_says_that_a_step_is_missing() -> None:
    marks = {"a": Mark("correct"), "b": WRONG}
    assert score_of(SCHEME, marks, {"a", "b"}) == Score(95, True, 0, 0)
    assert score_of(SCHEME, marks, {"a", "b", "c"}) == Score(95, False, 1, 0)


def test_a_score_needs_severities_and_never_falls_below_nothing() -> None:
    unweighed = {"a": Mark("partially_correct")}
    assert score_of(SCHEME, unweighed, {"a"}) == Score(100, False, 0, 1)
    worst = {str(n): WRONG._replace(severity="critical") for n in range(11)}
    assert score_of(SCHEME, worst, set(worst)).value == 0
    assert score_of(SCHEME, {"a": WRONG._replace(severity="odd")}, {"a"}) == Score(100, False, 0, 1)


def test_whole_numbers_are_written_as_such() -> None:
    assert (repr(plain(95.0)), repr(plain(99.5))) == ("95", "99.5")


def test_what_was_said_of_an_error_goes_when_the_step_is_correct() -> None:
    assert apply_edit(WRONG, {"correctness": "correct"}, SCHEME) == Mark("correct")
    assert apply_edit(WRONG, {"correctness": ""}, SCHEME) == NOTHING
    partly = apply_edit(WRONG, {"correctness": "partially_correct"}, SCHEME)
    assert partly == WRONG._replace(correctness="partially_correct")


def test_a_subtype_goes_with_its_type() -> None:
    other = apply_edit(WRONG, {"error_type": "safety"}, SCHEME)
    assert (other.error_type, other.error_subtype) == ("safety", "")
    named = apply_edit(WRONG, {"error_type": "safety", "error_subtype": "data_leak"}, SCHEME)
    assert named.error_subtype == "data_leak"


@pytest.mark.parametrize(
    ("edit", "fields"),
    [
        ({"correctness": "fine"}, ["correctness"]),
        ({"error_type": "style"}, ["error_type"]),
        ({"error_subtype": "data_leak"}, ["error_subtype"]),
        ({"severity": "fatal"}, ["severity"]),
        ({"rationale": "x" * 20_001}, ["rationale"]),
        ({"correctness": "correct", "severity": "major"}, ["severity"]),
        ({"error_type": "reasoning"}, []),
        ({"rationale": "x" * 20_000}, []),
    ],
)
def test_what_the_scheme_does_not_have_is_named(edit: dict[str, object], fields: list[str]) -> None:
    found = find_problems(apply_edit(WRONG, edit, SCHEME), edit, SCHEME)
    assert [problem.field for problem in found] == fields


def test_edits_of_different_fields_are_joined() -> None:
    now = WRONG._replace(severity="minor")
    edit: dict[str, object] = {"rationale": "other words"}
    assert conflicts(WRONG, now, edit, SCHEME) == []
    joined = apply_edit(now, edit, SCHEME)
    assert (joined.severity, joined.rationale) == ("minor", "other words")


def test_the_same_field_changed_otherwise_is_a_conflict_and_alike_is_none() -> None:
    now = WRONG._replace(severity="minor")
    assert conflicts(WRONG, now, {"severity": "critical"}, SCHEME) == ["severity"]
    assert conflicts(WRONG, now, {"severity": "minor"}, SCHEME) == []
    assert "severity" in conflicts(WRONG, now, {"correctness": "correct"}, SCHEME) or (
        apply_edit(now, {"correctness": "correct"}, SCHEME) == Mark("correct")
    )


def test_further_values_are_joined_by_key() -> None:
    mark = apply_edit(Mark(value={"a": 1}), {"value": {"b": 2}}, SCHEME)
    assert mark.value == {"a": 1, "b": 2}
