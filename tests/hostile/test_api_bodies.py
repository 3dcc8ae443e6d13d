"""Harmful bodies sent to ``POST /v1/keys``: one that is too large, and some that are invalid."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import httpx
import pytest
from tests.support.memory_of import Growth

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.conftest import RunningSpanloom, StartSpanloom

MIB = 2**20
SIZE, MAX_GROWTH = 128 * MIB, 32 * MIB
JSON = {"Content-Type": "application/json"}


@pytest.fixture(scope="module")
def spanloom(start_shared_spanloom: StartSpanloom) -> RunningSpanloom:
    started = start_shared_spanloom()
    started.wait_until_ready()
    return started


def large() -> Iterator[bytes]:
    yield b'{"project":"'
    for _ in range(SIZE // MIB):
        yield b"x" * MIB


@pytest.mark.parametrize("told", [{}, {"Content-Length": str(SIZE + 12)}], ids=["chunks", "length"])
def test_a_large_body_costs_no_memory(told: dict[str, str], spanloom: RunningSpanloom) -> None:
    keys = f"{spanloom.api}/v1/keys"
    growth = Growth(spanloom.process.pid)
    with suppress(httpx.WriteError):  # the service may close the connection early
        assert httpx.post(keys, content=large(), headers=JSON | told).status_code == 413
    assert growth.at_most() < MAX_GROWTH
    assert httpx.get(keys).json() == {"items": []}


@pytest.mark.parametrize("body", [b"\xff", b"[" * 60_000, b"{", b'{"expires_at":1}'])
def test_a_body_that_is_none_is_refused(body: bytes, spanloom: RunningSpanloom) -> None:
    answer = httpx.post(f"{spanloom.api}/v1/keys", content=body, headers=JSON)
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
