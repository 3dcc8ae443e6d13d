"""Asks a model for one vote: within the budget, again after what passes, not again after the rest.

Every request of a vote is one of its ``tries``: after an error that passes, after an answer that is
none (the fault is told), after one that was cut (with room for twice as much), and after a prompt
that was too long (with half of the run), the last two once each.
"""

from __future__ import annotations

import random
import secrets
import time
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from spanloom.evaluation.contract.errors import ErrorCode
from spanloom.evaluation.judge.answer import InvalidAnswerError, read_answer
from spanloom.evaluation.judge.port import AskError
from spanloom.evaluation.judge.prompt import write_prompt

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanloom.evaluation.judge.answer import Answer
    from spanloom.evaluation.judge.config import JudgeConfig
    from spanloom.evaluation.judge.port import Ask, Reply
    from spanloom.evaluation.judge.prompt import Material
    from spanloom.evaluation.judge.spending import Spending, Tally

BREAKER = 5
"""Votes in a row that failed at the provider, after which no more are asked for."""
LONGEST_WAIT_S = 120.0
"""A provider that wants a longer pause is not asked again."""
_LONGEST_OWN_WAIT_S = 30.0


class Vote(NamedTuple):
    """A valid answer."""

    answer: Answer
    text: str
    coverage: float


@dataclass
class _State:
    """Where the tries of one vote are."""

    output_tokens: int
    share: float = 1.0
    fault: str = ""


@dataclass
class Asker:
    """Asks one model for the votes of an evaluator; threads share it."""

    config: JudgeConfig
    ask: Ask
    spending: Spending
    sleep: Callable[[float], None] = time.sleep
    _stopped: tuple[ErrorCode, str] | None = None
    """Why nothing more is asked."""
    _failures: int = 0
    _lock: Lock = field(default_factory=Lock)

    def vote(self, material: Material, tally: Tally) -> Vote:
        """Return a vote; raises ``AskError``, ``BudgetSpentError`` or ``InvalidAnswerError``."""
        try:
            vote = self._try(material, tally)
        except AskError as error:
            self._note(error)
            raise
        with self._lock:
            self._failures = 0
        return vote

    def _try(self, material: Material, tally: Tally) -> Vote:
        state = _State(self.config.output_tokens)
        last: AskError | InvalidAnswerError = InvalidAnswerError("nothing was asked")
        for attempt in range(self.config.tries):
            if self._stopped is not None:
                raise AskError(*self._stopped)
            try:
                return self._once(material, state, tally)
            except InvalidAnswerError as error:
                state.fault, last = str(error), error
            except AskError as error:
                last = error
                if not self._may_go_on(error, state):
                    raise
                if error.is_passing and attempt + 1 < self.config.tries:
                    self.sleep(self._wait_s(error, attempt))
        raise last

    def _once(self, material: Material, state: _State, tally: Tally) -> Vote:
        nonce = secrets.token_hex(8)
        prompt, coverage = write_prompt(material, self.config, nonce, state.share)
        if state.fault:
            note = f"\n\nAn earlier answer was no use: {state.fault}. Answer as described."
            prompt = prompt._replace(system=prompt.system + note)
        self.spending.begin(tally)
        reply: Reply = self.ask(
            prompt, output_tokens=state.output_tokens, timeout_s=self.config.timeout_s
        )
        self.spending.end(tally, prompt, reply)
        try:
            return Vote(read_answer(reply.text, self.config), reply.text, coverage)
        except InvalidAnswerError as error:
            if not reply.is_cut:
                raise
            reason = f"the answer did not end within {state.output_tokens} tokens"
            raise AskError(ErrorCode.OUTPUT_LIMIT, reason) from error

    def _may_go_on(self, error: AskError, state: _State) -> bool:
        """Change what is asked for, where that may help; return whether to ask again."""
        if error.code == ErrorCode.CONTEXT_OVERFLOW and state.share == 1:
            state.share = 0.5
            return True
        if (
            error.code == ErrorCode.OUTPUT_LIMIT
            and state.output_tokens == self.config.output_tokens
        ):
            state.output_tokens *= 2
            return True
        too_long = (error.retry_after_s or 0) > LONGEST_WAIT_S
        return error.is_passing and not too_long

    def _wait_s(self, error: AskError, attempt: int) -> float:
        own = min(_LONGEST_OWN_WAIT_S, 2.0**attempt) * (0.5 + random.random() / 2)  # noqa: S311  # jitter
        return own if error.retry_after_s is None else error.retry_after_s + own / 4

    def _note(self, error: AskError) -> None:
        """Stop where every call fails alike, and after too many failures in a row."""
        with self._lock:
            if self._stopped is not None:
                return
            if error.is_final:
                self._stopped = error.code, str(error)
            elif error.is_passing:
                self._failures += 1
                if self._failures >= BREAKER:
                    reason = f"no more is asked after {BREAKER} failures in a row: {error}"
                    self._stopped = error.code, reason
