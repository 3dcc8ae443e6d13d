"""Errors of evaluation: of an evaluator's configuration, and of one judgement."""

from __future__ import annotations

from enum import StrEnum

from spanloom.core.errors import PermanentError


class InvalidEvaluatorError(PermanentError):
    """The configuration of an evaluator is invalid; ``key`` is the location of the error."""

    def __init__(self, key: str, reason: str) -> None:
        """Store the key, such as ``evaluators.0.mode``, and the reason."""
        super().__init__(f"{key}: {reason}" if key else reason)
        self.key = key
        self.reason = reason

    def inside(self, prefix: str) -> InvalidEvaluatorError:
        """Return this error with ``prefix`` in front of its key."""
        key = f"{prefix}.{self.key}" if self.key else prefix
        return InvalidEvaluatorError(key, self.reason)


class ErrorCode(StrEnum):
    """Why there is no judgement: the ``error_code`` of a result."""

    MISSING_RUN = "missing_run"
    """The item has no run."""
    UNREADABLE_RUN = "unreadable_run"
    """The run is neither a document nor messages."""
    UNREADABLE_EXPECTED = "unreadable_expected"
    """The ``expected`` of the item has another shape than the evaluator needs."""
    REFERENCE_FAILED = "reference_failed"
    """The library whose results ``compat`` reproduces raises an exception for this input."""
    TOO_LARGE = "too_large"
    """Judging the run would exceed a limit."""
    NOT_FINITE = "not_finite"
    """The value is NaN or infinite."""
    INVALID_ANSWER = "invalid_answer"
    """The value returned by code, or the answer of a model, is invalid."""
    UNKNOWN_SCORE = "unknown_score"
    """The condition refers to a score or an annotation that the run lacks."""
    CRASHED = "crashed"
    """The evaluator raised an exception."""
    TIMEOUT = "timeout"
    """Code, a rule or a model took longer than its limit."""
    NO_MAJORITY = "no_majority"
    """No category has more than half of a model's votes."""
    MISSING_PACKAGE = "missing_package"
    """A package that calls models is not installed."""
    CONTEXT_OVERFLOW = "context_overflow"
    """The run is too long for the model, even shortened to half of the allowed tokens."""
    CANARY_FAILED = "canary_failed"
    """The model gave a wrong answer to the canary criterion, whose right answer is known."""
    OUTPUT_LIMIT = "output_limit"
    """The answer of the model reached the limit of output tokens."""
    MODEL_REFUSED = "model_refused"
    """The model, or a filter of its provider, refused to answer."""
    PROVIDER_DENIED = "provider_denied"
    """The provider rejected the key or the model."""
    PROVIDER_FAILED = "provider_failed"
    """The provider failed, or no connection was made."""


class TooLargeError(PermanentError):
    """Judging the run would exceed a limit."""

    code = ErrorCode.TOO_LARGE


class TooSlowError(TooLargeError):
    """Judging the run took more CPU time than its limit."""

    code = ErrorCode.TIMEOUT
