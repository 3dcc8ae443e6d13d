"""A uvicorn server that sleeps until there is a request or it is stopped.

uvicorn's own loop wakes up ten times a second in each server to check whether it should end. In an
idle service that was an eighth of the CPU time.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

import uvicorn

if TYPE_CHECKING:
    from uvicorn import Config


class PatientServer(uvicorn.Server):
    """Serves like uvicorn, until ``end``."""

    def __init__(self, config: Config) -> None:
        """Prepare; uvicorn's date header and request limit must be off, as its loop serves them."""
        super().__init__(config)
        self._end = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None

    async def main_loop(self) -> None:
        """Override of ``uvicorn.Server``: return when the server should shut down."""
        self._loop = asyncio.get_running_loop()
        if not await self.on_tick(0):
            await self._end.wait()

    def end(self) -> None:
        """Shut the server down; callable from any thread, at any time."""
        self.should_exit = True
        if self._loop is not None:
            with suppress(RuntimeError):  # it has ended already, and its loop is closed
                self._loop.call_soon_threadsafe(self._end.set)
