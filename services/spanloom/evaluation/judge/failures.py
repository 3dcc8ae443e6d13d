"""Classifies exceptions of pydantic-ai and of networks: retry, fail, or stop permanently."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

from spanloom.core.secrets import hide
from spanloom.evaluation.contract.errors import ErrorCode
from spanloom.evaluation.judge.port import ModelError

if TYPE_CHECKING:
    from collections.abc import Mapping

_DENIED = frozenset({401, 403, 404})
_RETRYABLE = frozenset({408, 409, 425, 429})
_TOO_LONG = ("context_length", "context length", "context window", "prompt is too long")
_SHOWN = 300


def as_model_error(error: Exception) -> ModelError:
    """Return the ``ModelError`` for a library's exception; its message has no secrets."""
    names = {cls.__name__ for cls in type(error).__mro__}
    status = getattr(error, "status_code", None)
    if isinstance(status, int):
        return _of_status(status, error, names)
    message = hide(str(error))[:_SHOWN]
    if "UserError" in names:  # no key, or an unknown model
        return ModelError(ErrorCode.PROVIDER_DENIED, message, is_final=True)
    if "ContentFilterError" in names:
        return ModelError(ErrorCode.MODEL_REFUSED, "a filter of the provider refused to answer")
    if names & {"ModelTimeoutError", "ModelRequestTimeout"}:
        return ModelError(
            ErrorCode.TIMEOUT, f"the provider did not answer: {message}", is_retryable=True
        )
    is_retryable = bool(names & {"ModelAPIError", "UnexpectedModelBehavior", "OSError"})
    reason = f"the request failed: {type(error).__name__}: {message}"
    return ModelError(ErrorCode.PROVIDER_FAILED, reason, is_retryable=is_retryable)


def _of_status(status: int, error: Exception, names: set[str]) -> ModelError:
    body = str(getattr(error, "body", "") or "")
    reason = f"the provider answered {status}"
    if status in _DENIED or "ModelQuotaExceededError" in names:
        meaning = "the quota is used up" if status not in _DENIED else _MEANINGS[status]
        return ModelError(ErrorCode.PROVIDER_DENIED, f"{reason}: {meaning}", is_final=True)
    is_too_long = any(words in body.lower() for words in _TOO_LONG)
    if "ModelContextWindowExceededError" in names or (status in {400, 413} and is_too_long):
        return ModelError(ErrorCode.CONTEXT_OVERFLOW, f"{reason}: the prompt is too long")
    return ModelError(
        ErrorCode.PROVIDER_FAILED,
        f"{reason}: {hide(body)[:_SHOWN]}",
        is_retryable=status in _RETRYABLE or status >= 500,
        retry_after_s=retry_after_s(getattr(error, "headers", None) or {}),
    )


_MEANINGS = {
    401: "the key is missing or wrong",
    403: "the key does not allow it",
    404: "there is no such model or address",
}


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Return the seconds of a ``Retry-After`` header, a number or a date; ``None`` if missing."""
    value = next((value for name, value in headers.items() if name.lower() == "retry-after"), "")
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, (parsedate_to_datetime(value) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError):
        return None
