"""Asks a model one question: within the budget, again after what passes, not after the rest.

Every request for an answer is one of its ``tries``: after an error that passes, after an answer
that is none (the fault is told), and once after one that was cut (with room for twice as much).
"""

from __future__ import annotations

import random
import time
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from spanloom.evaluation.contract.errors import ErrorCode
from spanloom.evaluation.judge.answer import InvalidAnswerError, object_in
from spanloom.evaluation.judge.cache import Kept, key_of
from spanloom.evaluation.judge.canary import HASHED, CanaryError, check_canary, draw_marks
from spanloom.evaluation.judge.port import AskError
from spanloom.evaluation.judge.provider import address_of
from spanloom.evaluation.judge.suspicion import SUSPICIOUS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from spanloom.evaluation.judge.cache import Cache
    from spanloom.evaluation.judge.canary import Marks
    from spanloom.evaluation.judge.config import ModelConfig
    from spanloom.evaluation.judge.pace import Pace
    from spanloom.evaluation.judge.port import Ask, Prompt, Reply
    from spanloom.evaluation.judge.spending import Spending, Tally

T = TypeVar("T")

BREAKER = 5
"""Answers in a row that failed at the provider, after which no more are asked for."""
LONGEST_WAIT_S = 120.0
"""A provider that wants a longer pause is not asked again."""
_LONGEST_OWN_WAIT_S = 30.0


class Question(NamedTuple, Generic[T]):
    """What is asked, and how its answer is read."""

    write: Callable[[Marks], Prompt]
    read: Callable[[Mapping[str, Any]], T]
    """Raises ``InvalidAnswerError``."""
    vote: int
    """Which one, from 0."""
    project: str = ""
    """Answers are kept for each project apart."""


class Answered(NamedTuple, Generic[T]):
    """A valid answer."""

    value: T
    text: str
    warnings: tuple[str, ...]


@dataclass
class _State:
    """Where the tries of one question are."""

    output_tokens: int
    fault: str = ""
    is_suspicious: bool = False


@dataclass
class Asker:
    """Asks one model for the answers that an evaluator needs; threads share it."""

    config: ModelConfig
    ask: Ask
    spending: Spending
    cache: Cache
    pace: Pace
    sleep: Callable[[float], None] = time.sleep
    _stopped: tuple[ErrorCode, str] | None = None
    """Why nothing more is asked."""
    _failures: int = 0
    _lock: Lock = field(default_factory=Lock)

    def answer(self, question: Question[T], tally: Tally) -> Answered[T]:
        """Return an answer, kept or new.

        Raises ``AskError``, ``BudgetSpentError`` or ``InvalidAnswerError``.
        """
        key = self.key(question)
        if (kept := self.cache.find(key)) is not None:
            try:
                known = Answered(question.read(object_in(kept.text)), kept.text, kept.warnings)
            except InvalidAnswerError:  # a file of another's hand
                pass
            else:
                tally.cached += 1
                return known
        answered = self._asked(question, tally)
        self.cache.keep(key, Kept(answered.text, answered.warnings))
        return answered

    def key(self, question: Question[Any]) -> str:
        """Return the key of a question in the cache."""
        config = self.config
        same = config.model, address_of(config.model), config.temperature, config.seed
        limits = config.output_tokens, config.context_tokens, config.canary
        prompt = question.write(HASHED)
        return key_of(question.project, *same, *limits, *prompt, question.vote)

    def _asked(self, question: Question[T], tally: Tally) -> Answered[T]:
        try:
            answered = self._try(question, tally)
        except AskError as error:
            self._note(error)
            raise
        with self._lock:
            self._failures = 0
        return answered

    def _try(self, question: Question[T], tally: Tally) -> Answered[T]:
        state = _State(self.config.output_tokens)
        last: AskError | InvalidAnswerError = InvalidAnswerError("nothing was asked")
        for attempt in range(self.config.tries):
            if self._stopped is not None:
                raise AskError(*self._stopped)
            try:
                return self._once(question, state, tally)
            except InvalidAnswerError as error:
                state.fault, last = str(error), error
                state.is_suspicious |= isinstance(error, CanaryError)
            except AskError as error:
                last = error
                if not self._may_go_on(error, state):
                    raise
                if error.is_passing and attempt + 1 < self.config.tries:
                    self.sleep(self._wait_s(error, attempt))
        raise last

    def _once(self, question: Question[T], state: _State, tally: Tally) -> Answered[T]:
        marks = draw_marks()
        prompt = question.write(marks)
        if state.fault:
            note = f"\n\nAn earlier answer was no use: {state.fault}. Answer as described."
            prompt = prompt._replace(system=prompt.system + note)
        reply = self._reply(prompt, state.output_tokens, tally)
        try:
            given = object_in(reply.text)
            value = question.read(given)
            warnings = check_canary(given, marks, self.config)
        except InvalidAnswerError as error:
            if not reply.is_cut:
                raise
            reason = f"the answer did not end within {state.output_tokens} tokens"
            raise AskError(ErrorCode.OUTPUT_LIMIT, reason) from error
        suspicious = (SUSPICIOUS,) if state.is_suspicious else ()
        return Answered(value, reply.text, suspicious + warnings)

    def _reply(self, prompt: Prompt, output_tokens: int, tally: Tally) -> Reply:
        """Make one request, as soon as its limits allow it."""
        self.spending.begin(tally)
        counted = prompt.tokens + output_tokens
        if (wait_s := self.pace.begin(counted)) > 0:
            self.sleep(wait_s)
        reply = self.ask(prompt, output_tokens=output_tokens, timeout_s=self.config.timeout_s)
        self.pace.end(counted, self.spending.end(tally, prompt, reply))
        return reply

    def _may_go_on(self, error: AskError, state: _State) -> bool:
        """Change what is asked for, where that may help; return whether to ask again."""
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
