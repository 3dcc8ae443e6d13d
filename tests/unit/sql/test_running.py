"""A statement whose query id is used again is ended, even if it has hardly begun."""

from __future__ import annotations

import asyncio
import threading
from contextlib import closing

import pytest

from spanloom.core.ports.sql import SqlError
from spanloom.sql.reader import SqlCaller
from spanloom.sql.requests import Query
from spanloom.sql.running import Runner

ASKER = SqlCaller("key", None)


def question(*, replaces: bool) -> Query:
    return Query("", b"", "TSV", "", {}, {}, "same", replaces, "", 0, False, False, False, "", 0)


class Engine:
    """An engine that runs one statement until cancelled, after ignoring ``deaf_for`` cancels."""

    def __init__(self, deaf_for: int) -> None:
        self.left = deaf_for
        self.cancelled = threading.Event()

    def cancel(self, _tag: str) -> None:
        self.left -= 1
        if self.left < 0:
            self.cancelled.set()

    def run(self, _tag: str) -> str:
        return "ended" if self.cancelled.wait(10) else "ran on"


async def nobody_goes() -> None:
    await asyncio.Event().wait()


def test_a_replaced_statement_is_ended_until_it_has_ended() -> None:
    engine = Engine(deaf_for=2)

    async def ask() -> tuple[str, str]:
        with closing(Runner(2, engine.cancel)) as runner:
            first = asyncio.create_task(
                runner.run(question(replaces=False), ASKER, engine.run, nobody_goes)
            )
            await asyncio.sleep(0)
            second = await runner.run(
                question(replaces=True), ASKER, lambda _: "taken", nobody_goes
            )
            return await first, second

    assert asyncio.run(ask()) == ("ended", "taken")


def test_one_that_is_replaced_while_it_waits_is_not_begun() -> None:
    engine = Engine(deaf_for=0)

    async def ask() -> None:
        with closing(Runner(1, engine.cancel)) as runner:
            busy = question(replaces=False)._replace(query_id="busy")
            holding = asyncio.create_task(runner.run(busy, ASKER, engine.run, nobody_goes))
            await asyncio.sleep(0.01)
            waits = asyncio.create_task(
                runner.run(question(replaces=False), ASKER, lambda _: "begun", nobody_goes)
            )
            await asyncio.sleep(0.01)
            taker = asyncio.create_task(
                runner.run(question(replaces=True), ASKER, lambda _: "taken", nobody_goes)
            )
            await asyncio.sleep(0.01)
            engine.cancelled.set()
            assert await holding == "ended"
            with pytest.raises(SqlError, match="taken its id"):
                await waits
            assert await taker == "taken"

    asyncio.run(ask())
