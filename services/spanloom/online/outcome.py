"""What becomes of work: what is still to be judged, and what its results make of it. Pure."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.model.online_rule import MOST_RERUNS, Spent, Work, WorkState
from spanloom.evaluation.contract.errors import ErrorCode
from spanloom.online.definition import JUDGE
from spanloom.online.made import DAY_US, day_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.evaluation.evaluator import Evaluator
    from spanloom.judging.judging import Judged

_PASSING = frozenset(
    {
        ErrorCode.PROVIDER_FAILED.value,
        ErrorCode.PROVIDER_DENIED.value,
        ErrorCode.TIMEOUT.value,
        ErrorCode.MISSING_PACKAGE.value,
    }
)
"""Errors of judges that may pass: the key is set, the provider is back."""
MOST_ATTEMPTS = 5
BACKOFF_S = 30.0
"""Seconds until a judge that failed is asked again; four times as long after each time."""
_MAX_ERROR = 500


class Before(NamedTuple):
    """What a version of a rule has judged of a run before."""

    views: Mapping[str, str]
    """The fingerprint of what each evaluator judged last, by its name."""
    judged: int
    """How many versions of the run it judged."""
    settled: int
    """How many of them had settled."""


def before_of(work: Work, history: Sequence[Work]) -> Before:
    """Return what was judged before, of other versions of the run and in earlier attempts."""
    same = [one for one in history if one.id[:3] == work.id[:3] and one.is_judged]
    views: dict[str, str] = {}
    for one in sorted(same, key=lambda one: one.judged_us):
        views |= one.views
    others = [one for one in same if one.version != work.version]
    return Before({**views, **work.views}, len(others), sum(one.is_settled for one in others))


def left_of(
    evaluators: Sequence[Evaluator], before: Before, made: Mapping[str, str]
) -> Sequence[Evaluator]:
    """Return the evaluators that have something new to judge, by the fingerprints of a run."""
    return [
        one
        for one in evaluators
        if not made[one.name] or before.views.get(one.name) != made[one.name]
    ]


def is_enough(before: Before, *, is_settled: bool) -> bool:
    """Return whether a run was judged often enough to leave its scores as they are.

    One that has not settled is judged once, before it settles.
    """
    return before.settled > MOST_RERUNS if is_settled else before.judged > 0


def ended(work: Work, state: WorkState, error: str = "") -> Work:
    """Return the next revision of work that is over, or waits, without a judgement."""
    return replace(work, state=state, revision=work.revision + 1, error=error[:_MAX_ERROR])


def deferred(work: Work, now_us: int) -> Work:
    """Return work that waits for the next day."""
    return replace(ended(work, WorkState.DEFERRED), due_us=day_of(now_us) + DAY_US)


class Outcome(NamedTuple):
    """What a judgement made of work."""

    work: Work
    final: Sequence[Judged]
    """The results that become scores."""
    spent: Spent


def outcome_of(
    work: Work, before: Before, judged: Sequence[Judged], now_us: int, backoff_s: float = BACKOFF_S
) -> Outcome:
    """Return what becomes of work whose evaluators gave these results.

    A judge whose provider failed is asked again later, some times; one whose own budget is spent,
    the next day. All other results are final, also those of status ``error``.
    """
    attempts = work.attempts + any(map(_may_pass, judged))
    waits = {j.evaluator.name for j in judged if _may_pass(j) and attempts < MOST_ATTEMPTS}
    skips = {j.evaluator.name for j in judged if j.result.status == "skipped"}
    final = [j for j in judged if j.evaluator.name not in waits | skips]
    errors = [j.result.rationale for j in judged if j.result.status == "error"]
    state, due_us = WorkState.ERROR if errors else WorkState.DONE, work.due_us
    if skips:
        state, due_us = WorkState.DEFERRED, day_of(now_us) + DAY_US
    if waits:
        wait_s = backoff_s * 4 ** (attempts - 1)
        state, due_us = WorkState.PENDING, now_us + round(wait_s * 1_000_000)
    spent = _spent(judged)
    views = {j.evaluator.name: j.view_fingerprint for j in final}
    done = replace(
        work,
        state=state,
        revision=work.revision + 1,
        due_us=due_us,
        attempts=attempts,
        views={**before.views, **views},
        is_judged=work.is_judged or bool(final),
        calls=work.calls + spent.calls,
        tokens=work.tokens + spent.tokens,
        cost=work.cost + spent.usd,
        judged_us=now_us,
        error="; ".join(dict.fromkeys(errors))[:_MAX_ERROR],
    )
    return Outcome(done, final, spent)


def _may_pass(judged: Judged) -> bool:
    return judged.evaluator.kind == JUDGE and judged.result.error_code in _PASSING


def _spent(judged: Sequence[Judged]) -> Spent:
    def total(name: str) -> int:
        return int(sum(j.result.metrics.get(name) or 0 for j in judged))

    tokens = total("input_tokens") + total("output_tokens")
    usd = sum(j.result.cost_usd or 0.0 for j in judged)
    return Spent(usd, tokens, total("calls"), 1)
