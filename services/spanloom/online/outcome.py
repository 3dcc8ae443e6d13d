"""Decides which evaluators still have to judge a run, and the next state of a work item.

The functions have no side effects.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.model.online_rule import MOST_RERUNS, Spent, Work, WorkState
from spanloom.evaluation.contract.errors import ErrorCode
from spanloom.online.definition import JUDGE
from spanloom.online.evaluator_cache import DAY_US, day_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.evaluation.evaluator import Evaluator
    from spanloom.judging.judging import Judged

_RETRYABLE = frozenset(
    {
        ErrorCode.PROVIDER_FAILED.value,
        ErrorCode.PROVIDER_DENIED.value,
        ErrorCode.TIMEOUT.value,
        ErrorCode.MISSING_PACKAGE.value,
    }
)
"""Errors after which a judge is retried, because a missing key or the provider may be available."""
MOST_ATTEMPTS = 5
BACKOFF_S = 30.0
"""Seconds until a failed judge is retried; the wait is multiplied by four each time."""
_MAX_ERROR = 500


class Before(NamedTuple):
    """The previous judgements of a run by one version of a rule."""

    views: Mapping[str, str]
    """The fingerprint of the view that each evaluator judged last, keyed by evaluator name."""
    judged: int
    """The number of other versions of the run that were judged."""
    settled: int
    """The number of those versions that were settled."""


def before_of(work: Work, history: Sequence[Work]) -> Before:
    """Return the previous judgements, in earlier attempts and for other versions of the run.

    ``history`` has all work items for the run.
    """
    same = [one for one in history if one.id[:3] == work.id[:3] and one.is_judged]
    views: dict[str, str] = {}
    for one in sorted(same, key=lambda one: one.judged_us):
        views |= one.views
    others = [one for one in same if one.version != work.version]
    return Before({**views, **work.views}, len(others), sum(one.is_settled for one in others))


def due_evaluators(
    evaluators: Sequence[Evaluator], before: Before, fingerprints: Mapping[str, str]
) -> Sequence[Evaluator]:
    """Return the evaluators that have not judged the run, or whose view of it has changed since.

    An evaluator whose fingerprint is empty is always returned.
    """
    return [
        one
        for one in evaluators
        if not fingerprints[one.name] or before.views.get(one.name) != fingerprints[one.name]
    ]


def is_enough(before: Before, *, is_settled: bool) -> bool:
    """Return whether a run is not judged again, because it was judged often enough.

    Before it settles, a run is judged only once.
    """
    return before.settled > MOST_RERUNS if is_settled else before.judged > 0


def ended(work: Work, state: WorkState, error: str = "") -> Work:
    """Return the next revision of a work item, in a state reached without a judgement."""
    return replace(work, state=state, revision=work.revision + 1, error=error[:_MAX_ERROR])


def deferred(work: Work, now_us: int) -> Work:
    """Return the next revision of a work item, deferred to the next UTC day."""
    return replace(ended(work, WorkState.DEFERRED), due_us=day_of(now_us) + DAY_US)


class Outcome(NamedTuple):
    """A judged work item in its next state, the results to store, and what they cost."""

    work: Work
    final: Sequence[Judged]
    """The results that become scores."""
    spent: Spent


def outcome_of(
    work: Work, before: Before, judged: Sequence[Judged], now_us: int, backoff_s: float = BACKOFF_S
) -> Outcome:
    """Return the next state of a work item, given the results ``judged`` of its evaluators.

    A judge whose provider failed is retried later, up to ``MOST_ATTEMPTS`` times. A judge whose own
    budget is spent is retried the next day. All other results are final, including results with the
    status ``error``.
    """
    attempts = work.attempts + any(map(_may_retry, judged))
    waits = {j.evaluator.name for j in judged if _may_retry(j) and attempts < MOST_ATTEMPTS}
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


def _may_retry(judged: Judged) -> bool:
    return judged.evaluator.kind == JUDGE and judged.result.error_code in _RETRYABLE


def _spent(judged: Sequence[Judged]) -> Spent:
    def total(name: str) -> int:
        return int(sum(j.result.metrics.get(name) or 0 for j in judged))

    tokens = total("input_tokens") + total("output_tokens")
    usd = sum(j.result.cost_usd or 0.0 for j in judged)
    return Spent(usd, tokens, total("calls"), 1)
