"""Blocking calls are limited in time and in number."""

from __future__ import annotations

import asyncio
import threading

import pytest

from spanloom.api.http.bounds import BoundedCalls
from spanloom.core.errors import StoreUnavailableError


def test_a_call_gives_its_result_and_its_error() -> None:
    calls = BoundedCalls(workers=1, timeout_s=5)
    assert asyncio.run(calls.run(int, "7")) == 7
    with pytest.raises(ValueError, match="invalid literal"):
        asyncio.run(calls.run(int, "x"))
    calls.close()


def test_a_call_without_end_is_given_up_and_keeps_its_thread() -> None:
    calls = BoundedCalls(workers=1, timeout_s=0.05)
    release = threading.Event()
    with pytest.raises(StoreUnavailableError, match=r"within 0\.05 s"):
        asyncio.run(calls.run(release.wait, 30))
    with pytest.raises(StoreUnavailableError):  # no second thread: the call waits, then is given up
        asyncio.run(calls.run(int, "7"))
    release.set()
    calls.close()
