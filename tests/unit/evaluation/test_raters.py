"""Agreement of an evaluator with people: labels, gaps, ordered labels, and undefined figures."""

from __future__ import annotations

import pytest

from spanloom.evaluation.rules.descriptions import DESCRIPTIONS, describe_rules
from spanloom.evaluation.rules.reading import read_rules
from spanloom.evaluation.rules.registry import RULES
from spanloom.evaluation.statistics.raters import PeopleLabels, Unit, agree


def units(labels: str) -> dict[Unit, str]:
    return {Unit(f"{at:02}"): label for at, label in enumerate(labels)}


def people(labels: str) -> dict[Unit, PeopleLabels]:
    return {unit: PeopleLabels({"ada": label}) for unit, label in units(labels).items()}


def test_an_evaluator_is_compared_with_one_person() -> None:
    found = agree(units("yynnnyyyyy"), people("yyynnnyyyy"))
    assert found.n == 10
    assert found.accuracy == 0.8
    assert found.kappa.value == pytest.approx(0.5238, abs=5e-5)
    assert found.confusion == {("y", "y"): 6, ("y", "n"): 1, ("n", "n"): 2, ("n", "y"): 1}
    assert found.base_rate == {"y": 0.7, "n": 0.3}
    assert found.interval is not None
    assert found.interval[0] < 0.5238 < found.interval[1]
    assert (found.linear, found.quadratic) == (None, None)
    assert found == agree(units("yynnnyyyyy"), people("yyynnnyyyy"))


def test_where_everybody_gives_one_label_there_is_no_kappa() -> None:
    found = agree(units("yyyy"), people("yyyy"))
    assert (found.accuracy, found.kappa.value, found.interval) == (1.0, None, None)
    assert found.alpha.value is None
    assert found.kappa.reason


def test_labels_with_an_order_have_weighted_kappas() -> None:
    order = ["bad", "fair", "good"]
    evaluator = dict(zip(map(Unit, "abcd"), ["bad", "fair", "good", "fair"], strict=True))
    said = dict(zip(map(Unit, "abcd"), ["bad", "good", "good", "bad"], strict=True))
    found = agree(
        evaluator, {unit: PeopleLabels({"ada": one}) for unit, one in said.items()}, order
    )
    # by hand: observed 2/4 disagree by one step; expected (2*0 + …) over the products of rates
    assert found.labels == order
    assert found.linear is not None
    assert found.linear.value == pytest.approx(1 - (2 / 4) / (16 / 16))
    assert found.quadratic is not None
    assert found.quadratic.value == pytest.approx(1 - (2 / 4) / (24 / 16))
    with pytest.raises(ValueError, match="the order lacks: fair"):
        agree(evaluator, {}, ["bad", "good"])


def test_numbers_have_the_order_of_their_values() -> None:
    numbers = {Unit("a"): 1.0, Unit("b"): 10.0, Unit("c"): 2.0}
    found = agree(numbers, {unit: PeopleLabels({"ada": one}) for unit, one in numbers.items()})
    assert found.labels == [1.0, 2.0, 10.0]
    assert found.quadratic is not None
    assert found.quadratic.value == 1.0


def test_of_several_people_the_majority_or_an_adjudicator_counts() -> None:
    said = {
        Unit("most"): PeopleLabels({"ada": "y", "bo": "y", "cy": "n"}),
        Unit("tie"): PeopleLabels({"ada": "y", "bo": "n"}),
        Unit("decided"): PeopleLabels({"ada": "y", "bo": "n"}, "n"),
        Unit("alone"): PeopleLabels({"ada": "y"}),
    }
    evaluator = {Unit("most"): "y", Unit("tie"): "y", Unit("decided"): "n", Unit("other"): "n"}
    found = agree(evaluator, said)
    assert (found.n, found.undecided, found.only_people, found.only_evaluator) == (2, 1, 1, 1)
    assert found.confusion == {("y", "y"): 1, ("n", "n"): 1}
    assert found.kappa.value == 1.0
    assert found.alpha.value is not None
    assert found.alpha.value < 1


def test_nothing_that_both_judged_is_no_figure() -> None:
    found = agree(units("y"), {Unit("x"): PeopleLabels({"ada": "y"})})
    assert (found.n, found.accuracy, found.kappa.value) == (0, None, None)


def test_every_rule_is_told_with_an_example_that_can_be_meant() -> None:
    assert DESCRIPTIONS.keys() == RULES.keys()
    for told in describe_rules():
        (ready,) = read_rules(told["example"])
        assert ready.name == told["rule"]
        assert told["fails_if"].endswith(".")
