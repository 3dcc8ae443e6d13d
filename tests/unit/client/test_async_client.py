"""``AsyncClient`` has the same methods as ``Client`` and gives the same answers."""

from __future__ import annotations

import asyncio
import inspect
from typing import TYPE_CHECKING

import httpx
import pytest

from spanloom import AsyncClient, Client
from spanloom.client import NotFoundError, NotSpanloomError, UnavailableError
from spanloom.client.calls import walks
from spanloom.client.found import RunList

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.unit.client.conftest import World

ONLY_BLOCKING = {"copy", "run_experiment"}
SHELL = {"ask", "close", "follow"}
"""The methods that each client implements in its own way."""


def public(kind: type) -> set[str]:
    return {name for name in vars(kind) if not name.startswith("_")}


def test_both_clients_have_the_same_names_with_the_same_signatures_and_words() -> None:
    assert public(Client) - ONLY_BLOCKING == public(AsyncClient)
    here, there = Client("http://localhost"), AsyncClient("http://localhost")
    for name in public(AsyncClient):
        mine, yours = getattr(here, name), getattr(there, name)
        if name not in SHELL:
            assert inspect.signature(mine) == inspect.signature(yours)
            assert mine.__doc__ == yours.__doc__ == getattr(Client, name).__doc__
        assert mine.__doc__


def test_it_answers_as_the_other_one_does(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(walks, "PAGE_ITEMS", 2)
    for n in range(1, 6):
        world.write(n, conversation="talk")

    with world.client() as other:
        runs, talks = list(other.trajectories()), list(other.conversations())
        documents, table = list(other.documents(limit=3)), other.trajectories().to_arrow()
        ids = documents[0].id, documents[1].id
        diff = other.diff(*ids)

    async def ask() -> None:
        async with world.async_client() as client:
            assert [run async for run in client.trajectories()] == runs
            assert [talk async for talk in client.conversations()] == talks
            assert [one async for one in client.documents(limit=3)] == documents
            assert await client.latest() == documents[0]
            first = await client.trajectories().first(2)
            assert (first, type(first)) == (runs[:2], RunList)
            assert (await client.trajectories().to_arrow()).equals(table)
            assert await client.diff(*ids) == diff
            with pytest.raises(NotFoundError):
                await client.trajectory("0" * 32)

    world.run(ask())


def answering(handle: Callable[[httpx.Request], httpx.Response]) -> AsyncClient:
    return AsyncClient("http://localhost", transport=httpx.MockTransport(handle))


def test_it_waits_and_asks_again(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []

    async def sleep(pause_s: float) -> None:
        slept.append(pause_s)

    monkeypatch.setattr(asyncio, "sleep", sleep)
    problem = {"title": "Service Unavailable", "detail": "starting"}
    headers = {"Content-Type": "application/problem+json", "Retry-After": "2"}
    answers = [
        httpx.Response(503, json=problem, headers=headers),
        httpx.Response(200, json={"items": [], "next_cursor": None}),
    ]

    async def ask() -> None:
        async with answering(lambda _: answers.pop(0)) as client:
            assert [run async for run in client.trajectories()] == []
            assert slept == [2.0]
            answers.append(httpx.Response(503, json=problem, headers=headers))
            with pytest.raises(UnavailableError):
                await client.request_replay()
            answers.append(httpx.Response(200, text="hello"))
            with pytest.raises(NotSpanloomError):
                await client.latest()

    asyncio.run(ask())


def test_changes_are_followed_over_a_lost_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []

    async def sleep(pause_s: float) -> None:
        slept.append(pause_s)

    monkeypatch.setattr(asyncio, "sleep", sleep)
    change = {"project": "p", "trace_id": "t", "status": "settled", "changed_at": "1", "start": "1"}
    pages = [[{**change, "version": 1}], [], [{**change, "version": 1}, {**change, "version": 2}]]
    asked: list[dict[str, str]] = []

    def handle(request: httpx.Request) -> httpx.Response:
        asked.append(dict(request.url.params))
        items = pages.pop(0)
        if not items:
            raise httpx.ConnectError("gone")
        return httpx.Response(200, json={"items": items, "next": str(len(asked))})

    async def ask() -> None:
        troubles: list[Exception] = []
        async with answering(handle) as client:
            found = client.changes(after="0", project="p", on_trouble=troubles.append)
            assert [(await anext(found)).version for _ in range(2)] == [1, 2]
            assert (found.token, len(troubles), len(slept)) == ("1", 1, 1)
        with pytest.raises(TypeError, match="unexpected keyword"):
            client.changes(no_such_filter=1)  # type: ignore[call-arg]

    asyncio.run(ask())
    assert [one["after"] for one in asked] == ["0", "1", "1"]
    assert asked[0] == {"after": "0", "project": "p", "duplicate": "false", "wait": "15.0"}
