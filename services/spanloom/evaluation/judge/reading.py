"""Gets one vote on a run: by one prompt, or by a prompt for each window and a combining prompt.

If the provider refuses a prompt as too long, all prompts of the vote are written again with half of
the tokens. The cache records this, so that the long prompts are not tried again.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from spanloom.evaluation.contract.errors import ErrorCode
from spanloom.evaluation.judge.answer import answer_of, findings_of
from spanloom.evaluation.judge.cache import CachedAnswer, key_of
from spanloom.evaluation.judge.client import Question
from spanloom.evaluation.judge.port import ModelError
from spanloom.evaluation.judge.prompt import prompts_on

if TYPE_CHECKING:
    from spanloom.evaluation.judge.answer import Answer, Findings
    from spanloom.evaluation.judge.client import Answered, ModelClient
    from spanloom.evaluation.judge.config import JudgeConfig
    from spanloom.evaluation.judge.material import Material
    from spanloom.evaluation.judge.prompt import Prompts
    from spanloom.evaluation.judge.spending import Tally

LEFT_OUT = "steps_left_out"
"""The warning for a run with steps that were not read."""
_HALF = 0.5


class Vote(NamedTuple):
    """A value, and the share of the run that was read for it."""

    answer: Answer
    coverage: float
    windows: int
    warnings: tuple[str, ...]


class Reader(NamedTuple):
    """Gets a model's votes on runs for one evaluator."""

    config: JudgeConfig
    client: ModelClient

    def vote(self, material: Material, at: int, tally: Tally) -> Vote:
        """Return vote number ``at``, from 0, on a run; count its requests in ``tally``.

        Raises ``ModelError``, ``BudgetSpentError`` or ``InvalidAnswerError``.
        """
        prompts = prompts_on(material, self.config)
        halved_key = self._halved_key(prompts, at)
        if self.client.cache.find(halved_key) is not None:
            return self._vote(prompts_on(material, self.config, _HALF), at, tally)
        try:
            return self._vote(prompts, at, tally)
        except ModelError as error:
            if error.code != ErrorCode.CONTEXT_OVERFLOW:
                raise
        vote = self._vote(prompts_on(material, self.config, _HALF), at, tally)
        self.client.cache.keep(halved_key, CachedAnswer(""))
        return vote

    def _vote(self, prompts: Prompts, at: int, tally: Tally) -> Vote:
        findings: list[Answered[Findings]] = []
        if prompts.windows > 1:
            for window in range(prompts.windows):
                so_far = findings[-1].value.summary if findings else ""
                findings.append(self.client.answer(self._part(prompts, window, so_far, at), tally))
        answered = self.client.answer(
            self._verdict(prompts, [one.value for one in findings], at), tally
        )
        warnings = [LEFT_OUT] if prompts.steps.left_out else []
        warnings += [warning for one in findings for warning in one.warnings]
        warnings += answered.warnings
        unique = tuple(dict.fromkeys(warnings))
        return Vote(answered.value, prompts.steps.coverage, prompts.windows, unique)

    def _verdict(self, prompts: Prompts, findings: list[Findings], at: int) -> Question[Answer]:
        write = partial(prompts.combining, findings) if findings else prompts.whole
        return Question(write, partial(answer_of, config=self.config), at, prompts.material.project)

    def _part(self, prompts: Prompts, window: int, so_far: str, at: int) -> Question[Findings]:
        write = partial(prompts.window, window, so_far)
        return Question(write, findings_of, at, prompts.material.project)

    def _halved_key(self, prompts: Prompts, at: int) -> str:
        """Return the cache key that records that a run needs prompts of half the size."""
        is_long = prompts.windows > 1
        first = self._part(prompts, 0, "", at) if is_long else self._verdict(prompts, [], at)
        key = self.client.key(first)
        return key_of("halved", key, *prompts.steps.parts, *prompts.sides.values())
