"""Errors of evaluation: of an evaluator's configuration, and of one judgement."""

from __future__ import annotations

from enum import StrEnum

from spanloom.core.errors import PermanentError


class InvalidEvaluatorError(PermanentError):
    """The configuration of an evaluator is invalid; ``key`` is the place in it."""

    def __init__(self, key: str, reason: str) -> None:
        """Keep the place, such as ``evaluators.0.mode``, and the reason."""
        super().__init__(f"{key}: {reason}" if key else reason)
        self.key = key
        self.reason = reason

    def inside(self, prefix: str) -> InvalidEvaluatorError:
        """Return the same error with a longer place."""
        key = f"{prefix}.{self.key}" if self.key else prefix
        return InvalidEvaluatorError(key, self.reason)


class ErrorCode(StrEnum):
    """Why there is no judgement: the ``error_code`` of a result."""

    MISSING_RUN = "missing_run"
    """The item has no run."""
    UNREADABLE_RUN = "unreadable_run"
    """The run is neither a document nor messages."""
    UNREADABLE_EXPECTED = "unreadable_expected"
    """What the item expects has not the shape that the evaluator needs."""
    REFERENCE_FAILED = "reference_failed"
    """A library whose answers are reproduced raises for this input."""
    TOO_LARGE = "too_large"
    """Judging it would take more than its bounds."""
    NOT_FINITE = "not_finite"
    """The value is NaN or infinite."""
    INVALID_ANSWER = "invalid_answer"
    """Code or a model answered something else than a value."""
    UNKNOWN_SCORE = "unknown_score"
    """The condition needs a score or an annotation that nobody gave."""
    CRASHED = "crashed"
    """The evaluator raised an exception."""
    TIMEOUT = "timeout"
    """It took more time than it may."""
    NO_MAJORITY = "no_majority"
    """No category has more than half of the votes of a model."""
    MISSING_PACKAGE = "missing_package"
    """A package that calls models is not installed."""
    CONTEXT_OVERFLOW = "context_overflow"
    """The run is too long for the model, also when half of it is cut."""
    CANARY_FAILED = "canary_failed"
    """A model answered a criterion wrongly whose answer is known: it does not follow its task."""
    OUTPUT_LIMIT = "output_limit"
    """The answer of a model did not end within its tokens."""
    MODEL_REFUSED = "model_refused"
    """The model, or a filter of its provider, refused to answer."""
    PROVIDER_DENIED = "provider_denied"
    """The provider knows neither key nor model, or does not allow them."""
    PROVIDER_FAILED = "provider_failed"
    """The provider failed, or no connection was made."""


class TooLargeError(PermanentError):
    """Judging the run would take more than its bounds."""

    code = ErrorCode.TOO_LARGE


class TooSlowError(TooLargeError):
    """Judging the run took more CPU time than it may."""

    code = ErrorCode.TIMEOUT
