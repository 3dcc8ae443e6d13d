"""Compares the behaviour of two sets of runs: ``spanloom.evaluation.comparison``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanloom.evaluation.comparison.columns import Clusters
from spanloom.evaluation.comparison.comparing import FEWEST_RUNS, compare
from spanloom.evaluation.comparison.features import Feature
from spanloom.evaluation.comparison.observing import observe
from spanloom.evaluation.comparison.result import (
    Behaviour,
    BehaviourChange,
    ComparedSide,
    OnlyInOne,
)
from spanloom.evaluation.comparison.shaping import shape_of
from spanloom.evaluation.subject.run import Run

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from spanloom.evaluation.comparison.comparing import Change
    from spanloom.evaluation.comparison.features import Number
    from spanloom.evaluation.comparison.observing import Observed

TOO_FEW = "nothing is named below"
"""The beginning of the remark about too few runs, by which the web page recognises the remark."""
MIN_SUPPORT = 5
"""Minimum runs of one set that have a feature, for it to be compared."""


def behaviour(
    a_documents: Iterable[object],
    b_documents: Iterable[object],
    seed: int | str = 0,
    *,
    min_support: int = MIN_SUPPORT,
) -> dict[str, Any]:  # JSON values
    """Return the changes from the runs of A to the runs of B as a JSON object.

    Documents are mappings, text or bytes, canonical or Coze's, or lists of OpenAI messages. The
    same sets and seed give the same bytes, in any order. Raises ``UnreadableRunError`` for a value
    that is not a run, ``ValueError`` for a ``min_support`` below 1.
    """
    a, b = map(_observed, a_documents), map(_observed, b_documents)
    return compare_observed(a, b, seed=seed, min_support=min_support).model_dump(mode="json")


def compare_observed(
    a: Iterable[Observed],
    b: Iterable[Observed],
    *,
    questions: tuple[str, str] = ("", ""),
    seed: int | str = 0,
    min_support: int = MIN_SUPPORT,
) -> Behaviour:
    """Return the changes from the runs of A to the runs of B.

    ``questions`` are the ``where`` conditions that select the sets, empty if there is none.
    """
    if min_support < 1:
        raise ValueError(f"a feature needs at least 1 run, not {min_support}")
    in_a, in_b = Clusters(a), Clusters(b)
    result = Behaviour(
        a=ComparedSide(runs=in_a.count, clusters=len(in_a.runs), question=questions[0]),
        b=ComparedSide(runs=in_b.count, clusters=len(in_b.runs), question=questions[1]),
        differences=[],
        no_difference_shown=0,
        only_a=_only(in_a, in_b, questions[0], min_support),
        only_b=_only(in_b, in_a, questions[1], min_support),
        remarks=[],
    )
    if min(in_a.count, in_b.count) < FEWEST_RUNS:
        result.remarks.append(
            f"{TOO_FEW} {FEWEST_RUNS} runs a side: A has {in_a.count}, B {in_b.count}"
        )
        return result
    compared = compare(in_a, in_b, min_support, str(seed))
    result.differences += [_difference(change, questions) for change in compared.changes]
    result.no_difference_shown = compared.without
    if compared.left_out:
        result.remarks.append(f"{compared.left_out} rare features are not compared")
    return result


def _observed(value: object) -> Observed:
    run = value if isinstance(value, Run) else Run(value)
    return observe(shape_of(run.document.json))


def _only(side: Clusters, other: Clusters, question: str, min_support: int) -> list[OnlyInOne]:
    own, theirs = side.support, other.support
    found = sorted(
        (-count, feature)
        for feature, count in own.items()
        if count >= min_support and feature not in theirs
    )
    return [
        OnlyInOne(feature=feature.name, runs=-count, line=within(question, feature.line))
        for count, feature in found
    ]


def within(question: str, line: str) -> str:
    """Return the filter ``line``, combined with ``question``, the filter of the set, if any."""
    return f"({question}) and {line}" if question else line


def _difference(change: Change, questions: tuple[str, str]) -> BehaviourChange:
    counted, medians = change.counted, change.medians
    return BehaviourChange(
        feature=counted.name,
        kind="share" if isinstance(counted, Feature) else "number",
        a=change.a.mean,
        b=change.b.mean,
        difference=change.b.mean - change.a.mean,
        low=change.low,
        high=change.high,
        **{} if medians is None else _medians(medians._asdict()),
        p_holm=change.p_holm,
        n_a=_count(change, change.a.sums, change.a.sizes),
        n_b=_count(change, change.b.sums, change.b.sizes),
        runs_a=within(questions[0], counted.line),
        runs_b=within(questions[1], counted.line),
        words=_words(change),
    )


def _medians(medians: Mapping[str, float]) -> dict[str, float]:
    result = {f"median_{name}": value for name, value in medians.items()}
    return {**result, "median_difference": medians["b"] - medians["a"]}


def _count(change: Change, sums: Iterable[float], sizes: Iterable[float]) -> int:
    return int(sum(sums if isinstance(change.counted, Feature) else sizes))


def _words(change: Change) -> str:
    counted, a, b = change.counted, change.a.mean, change.b.mean
    if isinstance(counted, Feature):
        return f"{counted.words} in {b:.1%} of the runs of B, {a:.1%} of A"
    return f"{counted.name} is {_amount(b, counted)} on average in B, {_amount(a, counted)} in A"


def _amount(value: float, number: Number) -> str:
    return f"{value:,.4g} {number.unit}".rstrip()
