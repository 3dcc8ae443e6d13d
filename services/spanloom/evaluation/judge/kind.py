"""The kind ``judge``: makes one result of a run of the votes of a model."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final

from spanloom.core.model.trajectory import Usage
from spanloom.evaluation.contract.errors import ErrorCode, InvalidEvaluatorError
from spanloom.evaluation.contract.estimate import Estimate
from spanloom.evaluation.contract.result import Evidence
from spanloom.evaluation.contract.view import Part
from spanloom.evaluation.evaluator import Judging, Kind
from spanloom.evaluation.judge.answer import InvalidAnswerError, read_answer
from spanloom.evaluation.judge.asking import Asker, Vote
from spanloom.evaluation.judge.cache import Kept, cache_of_environment, key_of
from spanloom.evaluation.judge.config import JudgeConfig
from spanloom.evaluation.judge.port import AskError, estimated_tokens
from spanloom.evaluation.judge.prices import rates_of, usd
from spanloom.evaluation.judge.prompt import read_material, system_prompt, write_prompt
from spanloom.evaluation.judge.provider import address_of, ask_of
from spanloom.evaluation.judge.spending import BudgetSpentError, Spending, Tally
from spanloom.evaluation.judge.suspicion import SUSPICIOUS
from spanloom.evaluation.judge.votes import decide

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from spanloom.evaluation.contract.result import Result, Results
    from spanloom.evaluation.judge.cache import Cache
    from spanloom.evaluation.judge.port import Ask
    from spanloom.evaluation.judge.prompt import Material
    from spanloom.evaluation.subject.subject import Subject

_VIEW: Final = frozenset(
    {Part.TYPES, Part.NAMES, Part.INPUTS, Part.OUTPUTS, Part.ERRORS, Part.METADATA}
)
"""Calls and results are paired, and tools are listed, by metadata."""
_HASHED: Final = "nonce"
"""In place of the nonce, where the prompt is hashed."""


class Judge:
    """The judge of one evaluator: what its judgements share, in any number of threads."""

    def __init__(self, config: JudgeConfig, results: Results, asker: Asker, cache: Cache) -> None:
        """Ask by ``asker`` what ``cache`` has not."""
        self.config = config
        self.results = results
        self._asker = asker
        self._cache = cache

    def judge(self, subject: Subject) -> Iterator[Result]:
        """Yield the result of a run."""
        material, tally = read_material(subject), Tally()
        try:
            keys = self._keys(material)
            votes = [self._vote(material, key, tally) for key in keys]
        except BudgetSpentError as error:
            yield self.results.skipped(str(error), **_taken(tally))
        except AskError as error:
            yield self.results.error(error.code, str(error), **_taken(tally))
        except InvalidAnswerError as error:
            reason = f"the model gave no valid answer: {error}"
            yield self.results.error(error.code, reason, **_taken(tally))
        else:
            yield self._result(material, votes, tally)

    def estimate(self, subject: Subject) -> Estimate:
        """Return what the votes on a run would take; raises where the run cannot be read."""
        prompt = write_prompt(read_material(subject), self.config, _HASHED).prompt
        votes = self.config.votes
        usage = Usage(prompt.tokens * votes, self.config.output_tokens * votes)
        return Estimate(votes, *usage[:2], usd(usage, rates_of(self.config.model)))

    def _vote(self, material: Material, key: str, tally: Tally) -> Vote:
        if (kept := self._cache.find(key)) is not None:
            try:
                vote = Vote(read_answer(kept.text, self.config), *kept)
            except InvalidAnswerError:  # a file of another's hand
                pass
            else:
                tally.cached += 1
                return vote
        vote = self._asker.vote(material, tally)
        self._cache.keep(key, Kept(vote.text, vote.coverage))
        return vote

    def _keys(self, material: Material) -> Sequence[str]:
        """Return the key in the cache of each vote."""
        config = self.config
        prompt = write_prompt(material, config, _HASHED).prompt
        limits = config.output_tokens, config.context_tokens
        same = config.model, address_of(config.model), *prompt, config.temperature, config.seed
        return [key_of(*same, *limits, at) for at in range(config.votes)]

    def _result(self, material: Material, votes: Sequence[Vote], tally: Tally) -> Result:
        outcome = decide([vote.answer for vote in votes])
        if outcome is None:
            said = ", ".join(str(vote.answer.value) for vote in votes)
            reason = f"no category has more than half of the votes: {said}"
            return self.results.error(ErrorCode.NO_MAJORITY, reason, **_taken(tally))
        value, steps = outcome.answer.value, material.steps.step_ids
        return self.results.judged(
            value,
            self.config.passes(value),
            rationale=outcome.answer.rationale,
            evidence=[
                Evidence(step_id=steps[n - 1]) for n in outcome.answer.steps if 1 <= n <= len(steps)
            ],
            metrics={**outcome.metrics, **tally.metrics()},
            warnings=[SUSPICIOUS] if material.is_suspicious else [],
            cost_usd=tally.cost_usd,
            coverage=min(vote.coverage for vote in votes),
        )


def _taken(tally: Tally) -> dict[str, Any]:  # members of a result
    """Return what a judgement took that came to nothing."""
    return {"metrics": tally.metrics(), "cost_usd": tally.cost_usd}


def make_judge(
    config: JudgeConfig,
    results: Results,
    ask: Ask | None = None,
    cache: Cache | None = None,
    sleep: Callable[[float], None] = time.sleep,
) -> Judging:
    """Return the judge of a configuration; raises ``InvalidEvaluatorError``.

    Without ``ask`` the provider of the model is asked; without ``cache`` answers are kept where the
    environment says.
    """
    if estimated_tokens(system_prompt(config)) * 2 > config.input_tokens:
        reason = f"it takes more than half of the {config.input_tokens} tokens of a prompt"
        raise InvalidEvaluatorError("criteria", reason)
    if config.budget.usd is not None and rates_of(config.model) is None:
        reason = f"the price of {config.model} is unknown; limit budget.tokens or budget.calls"
        raise InvalidEvaluatorError("budget.usd", reason)
    spending = Spending(config.budget, config.model)
    asker = Asker(config, ask or ask_of(config), spending, sleep)
    made = Judge(config, results, asker, cache or cache_of_environment())
    return Judging(_VIEW, made.judge, (results.evaluator,), estimate=made.estimate)


JUDGE: Final = Kind(JudgeConfig, make_judge)
