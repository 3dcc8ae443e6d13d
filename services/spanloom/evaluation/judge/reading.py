"""Gets one vote on a run: at once, or by windows and one question that combines them.

A prompt that the provider finds too long is written once more with half of the tokens, and so are
all others of the vote; what was read of a run that way is kept, so that the whole is not tried
again.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from spanloom.evaluation.contract.errors import ErrorCode
from spanloom.evaluation.judge.answer import answer_of, findings_of
from spanloom.evaluation.judge.asking import Question
from spanloom.evaluation.judge.cache import Kept, key_of
from spanloom.evaluation.judge.port import AskError
from spanloom.evaluation.judge.prompt import prompts_on

if TYPE_CHECKING:
    from spanloom.evaluation.judge.answer import Answer, Findings
    from spanloom.evaluation.judge.asking import Answered, Asker
    from spanloom.evaluation.judge.config import JudgeConfig
    from spanloom.evaluation.judge.material import Material
    from spanloom.evaluation.judge.prompt import Prompts
    from spanloom.evaluation.judge.spending import Tally

LEFT_OUT = "steps_left_out"
"""The warning of a run of which whole steps were not read."""
_HALF = 0.5


class Vote(NamedTuple):
    """A value, and what was read for it."""

    answer: Answer
    coverage: float
    windows: int
    warnings: tuple[str, ...]


class Reader(NamedTuple):
    """Reads runs for one evaluator."""

    config: JudgeConfig
    asker: Asker

    def vote(self, material: Material, at: int, tally: Tally) -> Vote:
        """Return a vote.

        Raises ``AskError``, ``BudgetSpentError`` or ``InvalidAnswerError``.
        """
        prompts = prompts_on(material, self.config)
        halved_key = self._halved_key(prompts, at)
        if self.asker.cache.find(halved_key) is not None:
            return self._vote(prompts_on(material, self.config, _HALF), at, tally)
        try:
            return self._vote(prompts, at, tally)
        except AskError as error:
            if error.code != ErrorCode.CONTEXT_OVERFLOW:
                raise
        vote = self._vote(prompts_on(material, self.config, _HALF), at, tally)
        self.asker.cache.keep(halved_key, Kept(""))
        return vote

    def _vote(self, prompts: Prompts, at: int, tally: Tally) -> Vote:
        found: list[Answered[Findings]] = []
        if prompts.windows > 1:
            for window in range(prompts.windows):
                so_far = found[-1].value.summary if found else ""
                found.append(self.asker.answer(self._part(prompts, window, so_far, at), tally))
        answered = self.asker.answer(
            self._verdict(prompts, [one.value for one in found], at), tally
        )
        warnings = [LEFT_OUT] if prompts.steps.left_out else []
        warnings += [warning for one in found for warning in one.warnings]
        warnings += answered.warnings
        told = tuple(dict.fromkeys(warnings))
        return Vote(answered.value, prompts.steps.coverage, prompts.windows, told)

    def _verdict(self, prompts: Prompts, found: list[Findings], at: int) -> Question[Answer]:
        write = partial(prompts.combining, found) if found else prompts.whole
        return Question(write, partial(answer_of, config=self.config), at, prompts.material.project)

    def _part(self, prompts: Prompts, window: int, so_far: str, at: int) -> Question[Findings]:
        write = partial(prompts.window, window, so_far)
        return Question(write, findings_of, at, prompts.material.project)

    def _halved_key(self, prompts: Prompts, at: int) -> str:
        """Return the key of the note that a run is read by halves."""
        is_long = prompts.windows > 1
        first = self._part(prompts, 0, "", at) if is_long else self._verdict(prompts, [], at)
        key = self.asker.key(first)
        return key_of("halved", key, *prompts.steps.parts, *prompts.sides.values())
