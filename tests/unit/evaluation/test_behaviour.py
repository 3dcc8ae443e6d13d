"""Comparing the behaviour of two sets of runs: changes named, their order, false alarms."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import pytest
from tests.support.made_runs import made_run

from spanloom.core.query.where.parser import parse_where
from spanloom.evaluation import behaviour
from spanloom.evaluation.comparison.behaviour import compare_observed
from spanloom.evaluation.comparison.observing import Observed, observe
from spanloom.evaluation.comparison.packed import Packed
from spanloom.evaluation.comparison.shaping import shape_of

Documents = list[dict[str, Any]]


def observed(document: dict[str, Any]) -> Observed:
    return observe(shape_of(document))


def runs(count: int, seed: int, share: float = 0.0) -> Documents:
    random = Random(seed)
    return [
        made_run(seed * 100_000 + at, random, verifies=random.random() < share)
        for at in range(count)
    ]


@pytest.fixture(scope="module")
def before() -> Documents:
    return runs(300, 1)


@pytest.fixture(scope="module")
def after() -> Documents:
    return runs(300, 2, 0.15)


def test_a_planted_change_is_named_first(before: Documents, after: Documents) -> None:
    found = behaviour(before, after, seed=1)
    first = found["differences"][0]
    verified = sum(any(s["name"] == "verify" for s in d["agent_steps"][0]["steps"]) for d in after)
    assert first["feature"] == "tool: verify"
    assert (first["n_a"], first["n_b"]) == (0, verified)
    assert first["a"] == 0
    assert first["b"] == pytest.approx(verified / 300)
    assert 0 < first["low"] < first["difference"] < first["high"]
    assert first["runs_b"] == 'has(tool = "verify")'
    assert {"tool: verify", "transition: tool verify → tool pay"} <= {
        one["feature"] for one in found["only_b"]
    }


def test_nothing_is_named_between_halves_of_one_set(before: Documents) -> None:
    named = 0
    for seed in range(4):
        shuffled = before[:]
        Random(seed).shuffle(shuffled)
        named += bool(behaviour(shuffled[:150], shuffled[150:], seed=seed)["differences"])
    assert named <= 1


@pytest.mark.slow
@pytest.mark.timeout(1_200)
def test_nothing_is_named_in_95_of_100_halves_of_2_000_runs() -> None:
    all_ = [observed(document) for document in runs(2_000, 3)]
    named = 0
    for seed in range(100):
        Random(seed).shuffle(all_)
        named += bool(compare_observed(all_[:1_000], all_[1_000:], seed=seed).differences)
    assert named <= 5


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_a_change_in_5_percent_of_2_000_runs_is_named_first(seed: int) -> None:
    random = Random(seed)
    planted = [made_run(at, random, verifies=at % 13 == 0) for at in range(2_000)]
    found = behaviour(runs(2_000, 50 + seed), planted, seed=seed)
    assert "verify" in found["differences"][0]["feature"]


def test_the_same_sets_give_the_same_bytes_in_any_order(
    before: Documents, after: Documents
) -> None:
    shuffled = after[:]
    Random(9).shuffle(shuffled)
    first = json.dumps(behaviour(before[:100], after, seed="x"))
    assert first == json.dumps(behaviour(before[99::-1], shuffled, seed="x"))


def test_numbers_that_changed_are_named_with_their_medians(before: Documents) -> None:
    slower = [json.loads(json.dumps(document)) for document in before]
    for document in slower:
        document["root_step"]["basic_info"]["duration"] = "60000"
    (only,) = behaviour(before, slower)["differences"]
    assert (only["feature"], only["kind"], only["b"], only["median_b"]) == (
        "duration",
        "number",
        60_000,
        60_000,
    )
    assert only["low"] < only["difference"] < only["high"]
    assert only["median_low"] <= only["median_difference"] <= only["median_high"]
    assert only["runs_a"] == "duration exists"
    assert only["n_a"] == 300


def test_runs_of_one_conversation_count_as_one() -> None:
    random = Random(4)
    alone = [made_run(at, random) for at in range(60)]
    several = [
        made_run(100 + at, random, verifies=at < 12, conversation=f"c{at // 12}")
        for at in range(60)
    ]
    found = behaviour(alone, several)
    assert found["b"] == {"runs": 60, "clusters": 5, "question": ""}
    assert not [one for one in found["differences"] if "verify" in one["feature"]]


def test_below_eight_runs_nothing_is_named(before: Documents, after: Documents) -> None:
    found = behaviour(before[:7], after)
    assert found["differences"] == []
    assert found["remarks"] == ["nothing is named below 8 runs a side: A has 7, B 300"]


def test_sets_without_runs_have_no_difference() -> None:
    assert behaviour([], [])["differences"] == []


def test_questions_of_the_sets_are_part_of_the_lines(before: Documents, after: Documents) -> None:
    found = compare_observed(
        map(observed, before),
        map(observed, after),
        questions=('release = "1"', 'release = "2" or release = "3"'),
    )
    assert found.differences[0].runs_a == '(release = "1") and has(tool = "verify")'
    assert found.differences[0].runs_b.startswith('(release = "2" or release = "3") and ')


def test_every_line_is_a_question(before: Documents) -> None:
    odd = json.loads(json.dumps(before[0]))
    odd["agent_steps"][0]["steps"][1]["name"] = 'a "quoted\\" name\n退款'
    odd["agent_steps"][0]["steps"][1]["basic_info"]["error"] = {"code": 500, "msg": "x"}
    for feature in observed(odd).features:
        assert parse_where(feature.line, now_ns=0) is not None


def test_columns_are_summed_exactly() -> None:
    random = Random(6)
    columns = [[random.uniform(-1, 1) * 10**power for _ in range(50)] for power in range(-3, 9)]
    packed = Packed([*columns, [7.0] * 50])
    draw = [random.randrange(50) for _ in range(50)]
    expected = [sum(column[at] for at in draw) for column in [*columns, [7.0] * 50]]
    assert packed.sums(draw, 50) == pytest.approx(expected, rel=1e-6, abs=1e-6)
