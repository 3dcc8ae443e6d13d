"""Cancellations from outside, recognised by the errors of each programming language."""

from __future__ import annotations

import pytest
from tests.support.spans import make_span, raised

from spanloom.core.conventions.pauses import is_cancelled


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("asyncio.exceptions.CancelledError", ""),
        ("CancelledError", "<object object at 0x7ff39fb7cc50>"),
        ("Exception", "CancelledError()Traceback (most recent call last):\n  File"),
        ("KeyboardInterrupt", ""),
        ("", "This operation was aborted"),
        ("AbortError", "The user aborted a request."),
        ("Error", "Abort"),
        ("*fmt.wrapError", "[NodeRunError] Get http://models: context canceled"),
    ],
)
def test_a_cancellation(kind: str, words: str) -> None:
    assert is_cancelled(make_span(1, status="Error", events=[raised(kind, words)]))
    told = {"error.type": kind, "error.message": words}
    assert is_cancelled(make_span(1, 0, told, status="Error"))


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("TimeoutError", ""),
        ("*url.Error", "Get http://models: context deadline exceeded"),
        ("ValueError", "context canceled"),
        ("ValueError", "Aborted"),
        ("", "Aborted by the bank: no money"),
        ("GeneratorExit", ""),
        ("", ""),
    ],
)
def test_something_else(kind: str, words: str) -> None:
    assert not is_cancelled(make_span(1, status="Error", events=[raised(kind, words)]))


def test_a_failure_beside_a_cancellation_is_a_failure() -> None:
    events = [raised("ValueError", "no such city"), raised("asyncio.CancelledError")]
    assert not is_cancelled(make_span(1, status="Error", events=events))


def test_a_stream_whose_answer_was_taken_was_not_stopped() -> None:
    events = [raised("asyncio.exceptions.CancelledError")]
    assert not is_cancelled(make_span(1, status="Ok", events=events))
