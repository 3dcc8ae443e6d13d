"""Gets answers from a model within the budget, with retries after transient errors.

Each request for one answer counts as one of its ``tries``. A request is repeated after a transient
error, after an invalid answer (the next prompt names the fault), and once after an answer that was
cut off (with twice the output tokens).
"""

from __future__ import annotations

import random
import time
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from spanloom.evaluation.contract.errors import ErrorCode
from spanloom.evaluation.judge.answer import InvalidAnswerError, object_in
from spanloom.evaluation.judge.cache import CachedAnswer, key_of
from spanloom.evaluation.judge.canary import HASHED, CanaryError, check_canary, draw_marks
from spanloom.evaluation.judge.port import ModelError
from spanloom.evaluation.judge.provider import address_of
from spanloom.evaluation.judge.suspicion import SUSPICIOUS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from spanloom.evaluation.judge.cache import Cache
    from spanloom.evaluation.judge.canary import Marks
    from spanloom.evaluation.judge.config import ModelConfig
    from spanloom.evaluation.judge.pace import Pace
    from spanloom.evaluation.judge.port import Prompt, Reply, SendPrompt
    from spanloom.evaluation.judge.spending import Spending, Tally

T = TypeVar("T")

BREAKER = 5
"""Consecutive failed answers after which no more requests are sent."""
LONGEST_WAIT_S = 120.0
"""Maximum ``Retry-After`` in seconds that is waited for; a longer one ends the retries."""
_LONGEST_OWN_WAIT_S = 30.0


class Question(NamedTuple, Generic[T]):
    """A prompt, and the parser of its answer."""

    write: Callable[[Marks], Prompt]
    read: Callable[[Mapping[str, Any]], T]
    """Parses the answer; raises ``InvalidAnswerError``."""
    vote: int
    """Number of the vote, from 0."""
    project: str = ""
    """The project of the run; cached answers are separate for each project."""


class Answered(NamedTuple, Generic[T]):
    """A valid answer."""

    value: T
    text: str
    warnings: tuple[str, ...]


@dataclass
class _State:
    """State between the requests of one question."""

    output_tokens: int
    fault: str = ""
    is_suspicious: bool = False


@dataclass
class ModelClient:
    """Gets the answers of one model for an evaluator; safe to share between threads."""

    config: ModelConfig
    send: SendPrompt
    spending: Spending
    cache: Cache
    pace: Pace
    sleep: Callable[[float], None] = time.sleep
    _stopped: tuple[ErrorCode, str] | None = None
    """The reason why no more requests are sent, if any."""
    _failures: int = 0
    _lock: Lock = field(default_factory=Lock)

    def answer(self, question: Question[T], tally: Tally) -> Answered[T]:
        """Return an answer, from the cache or from the model.

        Raises ``ModelError``, ``BudgetSpentError`` or ``InvalidAnswerError``.
        """
        key = self.key(question)
        if (cached := self.cache.find(key)) is not None:
            try:
                value = question.read(object_in(cached.text))
            except InvalidAnswerError:  # the file was not written by this program
                pass
            else:
                tally.cached += 1
                return Answered(value, cached.text, cached.warnings)
        answered = self._requested(question, tally)
        self.cache.keep(key, CachedAnswer(answered.text, answered.warnings))
        return answered

    def key(self, question: Question[Any]) -> str:
        """Return the key of a question in the cache."""
        config = self.config
        same = config.model, address_of(config.model), config.temperature, config.seed
        limits = config.output_tokens, config.context_tokens, config.canary
        prompt = question.write(HASHED)
        return key_of(question.project, *same, *limits, *prompt, question.vote)

    def _requested(self, question: Question[T], tally: Tally) -> Answered[T]:
        try:
            answered = self._try(question, tally)
        except ModelError as error:
            self._count_failure(error)
            raise
        with self._lock:
            self._failures = 0
        return answered

    def _try(self, question: Question[T], tally: Tally) -> Answered[T]:
        state = _State(self.config.output_tokens)
        last: ModelError | InvalidAnswerError = InvalidAnswerError("nothing was asked")
        for attempt in range(self.config.tries):
            if self._stopped is not None:
                raise ModelError(*self._stopped)
            try:
                return self._once(question, state, tally)
            except InvalidAnswerError as error:
                state.fault, last = str(error), error
                state.is_suspicious |= isinstance(error, CanaryError)
            except ModelError as error:
                last = error
                if not self._may_go_on(error, state):
                    raise
                if error.is_retryable and attempt + 1 < self.config.tries:
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
            members = object_in(reply.text)
            value = question.read(members)
            warnings = check_canary(members, marks, self.config)
        except InvalidAnswerError as error:
            if not reply.is_cut:
                raise
            reason = f"the answer did not end within {state.output_tokens} tokens"
            raise ModelError(ErrorCode.OUTPUT_LIMIT, reason) from error
        suspicious = (SUSPICIOUS,) if state.is_suspicious else ()
        return Answered(value, reply.text, suspicious + warnings)

    def _reply(self, prompt: Prompt, output_tokens: int, tally: Tally) -> Reply:
        """Send one request, as soon as the rate limits allow it."""
        self.spending.begin(tally)
        counted = prompt.tokens + output_tokens
        if (wait_s := self.pace.begin(counted)) > 0:
            self.sleep(wait_s)
        reply = self.send(prompt, output_tokens=output_tokens, timeout_s=self.config.timeout_s)
        self.pace.end(counted, self.spending.end(tally, prompt, reply))
        return reply

    def _may_go_on(self, error: ModelError, state: _State) -> bool:
        """Return whether to retry; doubles the output tokens once after an answer that was cut."""
        if (
            error.code == ErrorCode.OUTPUT_LIMIT
            and state.output_tokens == self.config.output_tokens
        ):
            state.output_tokens *= 2
            return True
        too_long = (error.retry_after_s or 0) > LONGEST_WAIT_S
        return error.is_retryable and not too_long

    def _wait_s(self, error: ModelError, attempt: int) -> float:
        own = min(_LONGEST_OWN_WAIT_S, 2.0**attempt) * (0.5 + random.random() / 2)  # noqa: S311  # jitter
        return own if error.retry_after_s is None else error.retry_after_s + own / 4

    def _count_failure(self, error: ModelError) -> None:
        """Stop after an error that every call would get, or after too many consecutive failures."""
        with self._lock:
            if self._stopped is not None:
                return
            if error.is_final:
                self._stopped = error.code, str(error)
            elif error.is_retryable:
                self._failures += 1
                if self._failures >= BREAKER:
                    reason = f"no more requests are sent after {BREAKER} failures in a row: {error}"
                    self._stopped = error.code, reason
