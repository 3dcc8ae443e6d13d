"""The kind ``judge``: combines the votes of a model on a run into one result."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final

from spanloom.core.model.step import Usage
from spanloom.evaluation.contract.errors import ErrorCode, InvalidEvaluatorError
from spanloom.evaluation.contract.estimate import Estimate
from spanloom.evaluation.contract.result import Evidence
from spanloom.evaluation.contract.view import Part
from spanloom.evaluation.evaluator import Judging, Kind
from spanloom.evaluation.judge.answer import Findings, InvalidAnswerError
from spanloom.evaluation.judge.cache import cache_of_environment, key_of
from spanloom.evaluation.judge.canary import HASHED, CanaryError
from spanloom.evaluation.judge.client import ModelClient
from spanloom.evaluation.judge.config import JudgeConfig
from spanloom.evaluation.judge.ledger import FOLDER, BudgetSpentError, DayLedger, RunLedger
from spanloom.evaluation.judge.material import Material, read_material
from spanloom.evaluation.judge.pace import pace_of
from spanloom.evaluation.judge.port import ModelError
from spanloom.evaluation.judge.prices import rates_of, usd
from spanloom.evaluation.judge.prompt import prompts_on, task_tokens
from spanloom.evaluation.judge.provider import provider_of
from spanloom.evaluation.judge.reading import Reader
from spanloom.evaluation.judge.spending import Spending, Tally
from spanloom.evaluation.judge.suspicion import SUSPICIOUS
from spanloom.evaluation.judge.votes import decide

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from spanloom.evaluation.contract.result import Result, Results
    from spanloom.evaluation.judge.cache import Cache
    from spanloom.evaluation.judge.config import ModelConfig
    from spanloom.evaluation.judge.ledger import Ledger
    from spanloom.evaluation.judge.port import SendPrompt
    from spanloom.evaluation.judge.reading import Vote
    from spanloom.evaluation.subject.subject import Subject

VIEW: Final = frozenset(
    {Part.TYPES, Part.NAMES, Part.INPUTS, Part.OUTPUTS, Part.ERRORS, Part.METADATA}
)
"""View with metadata, which is needed to pair calls with results and to list tools."""


class Judge:
    """The judge of one evaluator; safe to share between threads."""

    def __init__(
        self,
        config: JudgeConfig,
        results: Results,
        client: ModelClient,
        read: Callable[[Subject], Material] = read_material,
    ) -> None:
        """Judge the texts that ``read`` returns for a run; ``client`` may be shared."""
        self.config = config
        self.results = results
        self._reader = Reader(config, client)
        self._read = read

    def judge(self, subject: Subject) -> Iterator[Result]:
        """Yield the result of a run."""
        yield self.judge_material(self._read(subject))

    def judge_material(self, material: Material, name: str = "") -> Result:
        """Return the result of judging a ``Material``; ``name`` is the name of the score."""
        tally = Tally()
        try:
            votes = [self._reader.vote(material, at, tally) for at in range(self.config.votes)]
        except BudgetSpentError as error:
            return self.results.skipped(str(error), name=name, **_spent(tally))
        except (ModelError, InvalidAnswerError) as error:
            return self._failed(error, material, tally, name)
        return self._result(material, votes, tally, name)

    def estimate(self, subject: Subject) -> Estimate:
        """Return the estimated cost of the votes on a run; raises if the run cannot be read."""
        return self.estimate_material(self._read(subject))

    def estimate_material(self, material: Material) -> Estimate:
        """Return the maximum estimated cost of the votes on a ``Material``."""
        prompts, output = prompts_on(material, self.config), self.config.output_tokens
        calls, tokens = 1, 0
        if prompts.windows == 1:
            tokens = prompts.whole(HASHED).tokens
        else:
            calls += prompts.windows
            for at in range(prompts.windows):
                tokens += prompts.window(at, "", HASHED).tokens + (output if at else 0)
            nothing = [Findings("", "", ())] * prompts.windows
            tokens += prompts.combining(nothing, HASHED).tokens + output * prompts.windows
        votes = self.config.votes
        usage = Usage(tokens * votes, output * calls * votes)
        return Estimate(calls * votes, *usage[:2], usd(usage, rates_of(self.config.model)))

    def _failed(
        self, error: ModelError | InvalidAnswerError, material: Material, tally: Tally, name: str
    ) -> Result:
        is_answer = isinstance(error, InvalidAnswerError)
        reason = f"the model gave no valid answer: {error}" if is_answer else str(error)
        is_suspicious = material.is_suspicious or isinstance(error, CanaryError)
        return self.results.error(
            error.code,
            reason,
            name=name,
            warnings=[SUSPICIOUS] if is_suspicious else [],
            **_spent(tally),
        )

    def _result(self, material: Material, votes: Sequence[Vote], tally: Tally, name: str) -> Result:
        outcome = decide([vote.answer for vote in votes])
        if outcome is None:
            values = ", ".join(str(vote.answer.value) for vote in votes)
            reason = f"no category has more than half of the votes: {values}"
            return self.results.error(ErrorCode.NO_MAJORITY, reason, name=name, **_spent(tally))
        value, steps = outcome.answer.value, material.steps.step_ids
        shown = [steps[n - 1] for n in outcome.answer.steps if 1 <= n <= len(steps)]
        warnings = [SUSPICIOUS] if material.is_suspicious else []
        warnings += [warning for vote in votes for warning in vote.warnings]
        windows = {"windows": float(max(vote.windows for vote in votes))}
        return self.results.judged(
            value,
            self.config.passes(value),
            name=name,
            rationale=outcome.answer.rationale,
            evidence=[Evidence(step_id=step_id) for step_id in dict.fromkeys(shown)],
            metrics={**outcome.metrics, **windows, **tally.metrics()},
            warnings=tuple(dict.fromkeys(warnings)),
            cost_usd=tally.cost_usd,
            coverage=min(vote.coverage for vote in votes),
        )


def _spent(tally: Tally) -> dict[str, Any]:  # members of a result
    """Return metrics and cost for the result of a judgement that gave no value."""
    return {"metrics": tally.metrics(), "cost_usd": tally.cost_usd}


def make_judge(
    config: JudgeConfig,
    results: Results,
    send: SendPrompt | None = None,
    cache: Cache | None = None,
    sleep: Callable[[float], None] = time.sleep,
) -> Judging:
    """Create the judging function for a configuration; raises ``InvalidEvaluatorError``.

    By default, ``send`` sends to the provider of the model, and ``cache`` is the cache that the
    environment names.
    """
    check_config(config)
    client = make_client(config, results.evaluator, send, cache, sleep)
    made = Judge(config, results, client)
    name = results.evaluator
    return Judging(
        VIEW,
        made.judge,
        (name,),
        version="2",
        model_scores=frozenset({name}),
        estimate=made.estimate,
    )


def make_client(
    config: ModelConfig,
    name: str,
    send: SendPrompt | None = None,
    cache: Cache | None = None,
    sleep: Callable[[float], None] = time.sleep,
) -> ModelClient:
    """Return the client of a model, within the budget of the evaluator ``name``.

    Raises ``InvalidEvaluatorError`` for a budget that cannot be counted.
    """
    cache = cache or cache_of_environment()
    spending = Spending(config.budget, config.model, _ledger(config, name, cache))
    return ModelClient(config, send or provider_of(config), spending, cache, pace_of(config), sleep)


def _ledger(config: ModelConfig, name: str, cache: Cache) -> Ledger:
    if config.budget.usd is not None and rates_of(config.model) is None:
        reason = f"the price of {config.model} is unknown; limit budget.tokens or budget.calls"
        raise InvalidEvaluatorError("budget.usd", reason)
    if config.budget.per == "run":
        return RunLedger()
    if cache.folder is None:
        reason = (
            "a daily budget is stored next to the cached answers, and SPANLOOM_JUDGE_CACHE is ''"
        )
        raise InvalidEvaluatorError("budget.per", reason)
    return DayLedger(cache.folder / FOLDER / key_of(name, config.model), cache.now)


def check_config(config: JudgeConfig) -> None:
    """Raise ``InvalidEvaluatorError`` for criteria that leave no room for a run."""
    if task_tokens(config, Material()) * 2 > config.input_tokens:
        reason = f"it takes more than half of the {config.input_tokens} tokens of a prompt"
        raise InvalidEvaluatorError("criteria", reason)


JUDGE: Final = Kind(JudgeConfig, make_judge)
