"""Statistics of evaluation: published values, and equality with plain enumerations."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanloom import evaluation
from spanloom.evaluation.statistics.proportions import fisher, newcombe
from spanloom.evaluation.statistics.resampling import bootstrap_clusters

SHARES = st.tuples(st.integers(0, 12), st.integers(0, 12)).map(lambda pair: (min(pair), max(pair)))


@pytest.mark.parametrize(
    ("k", "n", "low", "high"),
    [(8, 10, 0.4902, 0.9433), (0, 10, 0, 0.2775), (10, 10, 0.7225, 1), (0, 0, 0, 1)],
)
def test_wilson_gives_its_published_intervals(k: int, n: int, low: float, high: float) -> None:
    assert evaluation.wilson(k, n) == pytest.approx((low, high), abs=5e-5)


@pytest.mark.parametrize(("b", "c", "p"), [(2, 10, 0.03857), (0, 6, 0.03125), (0, 0, 1), (3, 3, 1)])
def test_mcnemar_is_exact(b: int, c: int, p: float) -> None:
    assert evaluation.mcnemar(b, c) == pytest.approx(p, abs=5e-6)


@given(st.integers(0, 12), st.integers(0, 12))
def test_mcnemar_equals_the_enumeration_of_all_signs(b: int, c: int) -> None:
    n = b + c
    as_far = sum(
        math.comb(n, k) for k in range(n + 1) if abs(2 * k - n) >= abs(b - c)
    )  # of all 2ⁿ ways to sign the pairs
    assert evaluation.mcnemar(b, c) == pytest.approx(as_far / 2**n)


@given(SHARES, SHARES)
def test_fisher_equals_the_enumeration_of_all_tables(
    first: tuple[int, int], second: tuple[int, int]
) -> None:
    (k, n), (other_k, other_n) = first, second
    successes = k + other_k

    def chance(count: int) -> Fraction:
        ways = math.comb(n, count) * math.comb(other_n, successes - count)
        return Fraction(ways, math.comb(n + other_n, successes))

    counts = range(max(0, successes - other_n), min(n, successes) + 1)
    exact = sum(chance(count) for count in counts if chance(count) <= chance(k))
    assert fisher(first, second) == pytest.approx(float(exact))


def test_fisher_of_large_samples_is_finite_and_quick() -> None:
    assert 0 < fisher((100, 10_000), (600, 10_000)) < 1e-80
    assert fisher((5_000, 10_000), (5_000, 10_000)) == pytest.approx(1)


def test_newcombe_gives_its_published_interval() -> None:
    assert newcombe((48, 80), (56, 70)) == pytest.approx((0.0524, 0.3339), abs=5e-5)


@given(SHARES, SHARES)
def test_newcombe_turns_around(first: tuple[int, int], second: tuple[int, int]) -> None:
    low, high = newcombe(first, second)
    assert newcombe(second, first) == pytest.approx((-high, -low))
    assert -1 <= low <= high <= 1


@pytest.mark.parametrize(("k", "at", "hat"), [(2, 0.9, 0.3), (3, 1.0, 0.1)])
def test_tries_of_five_with_three_right(k: int, at: float, hat: float) -> None:
    assert evaluation.pass_at(5, 3, k) == pytest.approx(at)
    assert evaluation.pass_hat(5, 3, k) == pytest.approx(hat)


@given(st.integers(1, 8), st.data())
def test_tries_equal_the_enumeration_of_all_choices(n: int, data: st.DataObject) -> None:
    c, k = data.draw(st.integers(0, n)), data.draw(st.integers(1, n))
    chosen = list(itertools.combinations([at < c for at in range(n)], k))
    assert evaluation.pass_at(n, c, k) == pytest.approx(sum(map(any, chosen)) / len(chosen))
    assert evaluation.pass_hat(n, c, k) == pytest.approx(sum(map(all, chosen)) / len(chosen))


@pytest.mark.parametrize("call", [evaluation.pass_at, evaluation.pass_hat])
@pytest.mark.parametrize(("n", "c", "k"), [(5, 3, 6), (5, 3, 0), (5, 6, 1), (0, 0, 1)])
def test_tries_that_cannot_be_are_refused(call: object, n: int, c: int, k: int) -> None:
    with pytest.raises(ValueError, match=f"of {n} tries"):
        call(n, c, k)  # type: ignore[operator]  # one of two functions


def test_holm_steps_down_and_keeps_the_order() -> None:
    assert evaluation.holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert evaluation.holm([]) == []
    assert evaluation.holm([0.9, 0.8]) == [1.0, 1.0]


def test_kappa_is_that_of_annotators() -> None:
    assert evaluation.kappa("yyynnnyyyy", "yynnnyyyyy") == pytest.approx(0.5238, abs=5e-5)
    assert evaluation.kappa("yyy", "yyy") is None
    assert evaluation.kappa([], []) is None


@pytest.mark.parametrize(
    ("call", "args"),
    [
        (evaluation.wilson, (3, 2)),
        (evaluation.mcnemar, (-1, 2)),
        (evaluation.holm, ([0.5, math.nan],)),
        (evaluation.kappa, ("ab", "a")),
        (evaluation.bootstrap_mean, ([], 1)),
        (evaluation.bootstrap_mean, ([1.0, math.inf], 1)),
        (evaluation.is_sampled, ("rule", "trace", 1.5)),
    ],
)
def test_what_has_no_meaning_is_refused(call: object, args: tuple[object, ...]) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        call(*args)  # type: ignore[operator]  # one of several functions


@pytest.mark.parametrize("n", [5, 100, 256, 257, 3_000])
def test_a_bootstrap_is_as_wide_as_theory_has_it(n: int) -> None:
    random = Random(7)
    values = [random.gauss(10, 2) for _ in range(n)]
    mean, low, high = evaluation.bootstrap_mean(values, "seed")
    deviation = math.sqrt(sum((value - mean) ** 2 for value in values) / n)
    assert low < mean < high
    assert (high - low) / (2 * 1.96 * deviation / math.sqrt(n)) == pytest.approx(1, abs=0.12)
    assert evaluation.bootstrap_mean(values, "seed") == (mean, low, high)
    assert evaluation.bootstrap_mean(values, "other") != (mean, low, high)


def test_equal_values_have_no_width() -> None:
    assert evaluation.bootstrap_mean([0.1] * 300, 1) == pytest.approx((0.1, 0.1, 0.1))


def test_clusters_are_drawn_whole() -> None:
    random = Random(3)
    levels = [random.gauss(0, 1) for _ in range(40)]
    clusters = [[level] * (1 + at % 3) for at, level in enumerate(levels)]
    alone = [[value] for cluster in clusters for value in cluster]
    _, low, high = bootstrap_clusters(clusters, 1)
    _, low_alone, high_alone = bootstrap_clusters(alone, 1)
    assert high - low > 1.2 * (high_alone - low_alone)


def test_traces_are_sampled_by_their_hash() -> None:
    first, second = "0af7651916cd43dd8448eb211c80319c", "4bf92f3577b34da6a3ce929d0e0e4736"
    assert evaluation.share("r1", first) == pytest.approx(0.687632, abs=5e-7)
    assert evaluation.share("r1", second) == pytest.approx(0.546155, abs=5e-7)
    assert not evaluation.is_sampled("r1", first, 0)
    assert evaluation.is_sampled("r1", first, 1)


def test_a_higher_rate_only_adds_traces() -> None:
    traces = [f"{at:032x}" for at in range(10_000)]
    few = {one for one in traces if evaluation.is_sampled("r1", one, 0.1)}
    more = {one for one in traces if evaluation.is_sampled("r1", one, 0.2)}
    assert 900 <= len(few) <= 1_100
    assert few < more
