"""A uvicorn that sleeps until somebody asks something, or ends it.

uvicorn's own loop wakes up ten times a second, each server, to see whether it should end: of a
service that nobody asks that was an eighth of the CPU time.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

import uvicorn

if TYPE_CHECKING:
    from uvicorn import Config


class PatientServer(uvicorn.Server):
    """Serves as uvicorn does, until ``end``."""

    def __init__(self, config: Config) -> None:
        """Prepare; a date header and a limit of requests, which its loop sees to, must be off."""
        super().__init__(config)
        self._end = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None

    async def main_loop(self) -> None:
        """See ``uvicorn.Server``: return when the server is to shut down."""
        self._loop = asyncio.get_running_loop()
        if not await self.on_tick(0):
            await self._end.wait()

    def end(self) -> None:
        """Have the server shut down; may be called from any thread, at any time."""
        self.should_exit = True
        if self._loop is not None:
            with suppress(RuntimeError):  # it has ended by itself, and its loop is closed
                self._loop.call_soon_threadsafe(self._end.set)
