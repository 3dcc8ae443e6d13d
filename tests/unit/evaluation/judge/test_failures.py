"""Errors of the model library and their meaning, and judges where it is not installed."""

from __future__ import annotations

import sys
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from tests.support.scripted_judge import MODEL, RUN

import spanloom
from spanloom.core.secrets import remember
from spanloom.evaluation.judge.failures import as_model_error, retry_after_s

KEY = "sk-unit-7d1e55a0"


class ModelHTTPError(Exception):
    """An error with the attributes of the library's own."""

    def __init__(self, status: int, body: object = None, **headers: str) -> None:
        super().__init__(f"status_code: {status}, body: {body}")
        self.status_code, self.body, self.headers = status, body, headers


class ModelQuotaExceededError(ModelHTTPError):
    pass


class UserError(RuntimeError):
    pass


class ContentFilterError(Exception):
    pass


class ModelTimeoutError(Exception):
    pass


@pytest.mark.parametrize(
    ("error", "code", "is_retryable", "is_final"),
    [
        (ModelHTTPError(401, KEY), "provider_denied", False, True),
        (ModelHTTPError(403), "provider_denied", False, True),
        (ModelHTTPError(404), "provider_denied", False, True),
        (ModelQuotaExceededError(429), "provider_denied", False, True),
        (ModelHTTPError(429, KEY), "provider_failed", True, False),
        (ModelHTTPError(503, KEY), "provider_failed", True, False),
        (ModelHTTPError(529), "provider_failed", True, False),
        (ModelHTTPError(422, KEY), "provider_failed", False, False),
        (
            ModelHTTPError(400, {"code": "context_length_exceeded"}),
            "context_overflow",
            False,
            False,
        ),
        (ModelHTTPError(400, "prompt is too long: 9"), "context_overflow", False, False),
        (UserError(f"no {KEY}"), "provider_denied", False, True),
        (ContentFilterError(), "model_refused", False, False),
        (ModelTimeoutError(), "timeout", True, False),
        (ConnectionResetError(KEY), "provider_failed", True, False),
        (ValueError(KEY), "provider_failed", False, False),
    ],
)
def test_an_error_says_whether_to_ask_again_and_shows_no_key(
    error: Exception, code: str, is_retryable: bool, is_final: bool
) -> None:
    remember(KEY)
    found = as_model_error(error)
    assert (found.code.value, found.is_retryable, found.is_final) == (code, is_retryable, is_final)
    assert KEY not in str(found)


def test_a_pause_is_seconds_or_a_date() -> None:
    assert retry_after_s({"Retry-After": "7"}) == 7
    assert retry_after_s({"retry-after": "-1"}) == 0
    assert retry_after_s({"retry-after": "soon"}) is None
    assert retry_after_s({}) is None
    later = format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)
    assert 3_000 < (retry_after_s({"retry-after": later}) or 0) <= 3_600
    assert as_model_error(ModelHTTPError(429, None, **{"retry-after": "3"})).retry_after_s == 3


def test_without_the_library_there_is_an_error_that_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SPANLOOM_JUDGE_CACHE", "")
    monkeypatch.setitem(sys.modules, "pydantic_ai.direct", None)
    config: dict[str, Any] = {"kind": "judge", "model": MODEL, "criteria": "Polite?"}
    (result,) = spanloom.evaluate(RUN, config)
    assert (result["status"], result["error_code"]) == ("error", "missing_package")
    assert "spanloom[judge]" in result["rationale"]
