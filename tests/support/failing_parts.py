"""Run the command; one component dies when a file appears: ``failing_parts.py PART FILE …``.

One method of the component's own loop is replaced; everything else is the real command.
"""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spanloom.__main__ import main
from spanloom.collector.doors.otlp.grpc import GrpcReceiver
from spanloom.collector.spool.group_commit import GroupCommitter
from spanloom.collector.spool.writer import Writer
from spanloom.extractor.extractor import Extractor
from spanloom.process.serving import PatientServer

if TYPE_CHECKING:
    from collections.abc import Callable


class Fault(BaseException):
    """An exception that nothing catches, so that it ends the thread."""


def dies_when(trigger: Path, thread: str, kind: type, method: str) -> None:
    """Make a method raise in the thread with this name once the file exists."""
    works: Callable[..., Any] = getattr(kind, method)

    def check() -> None:
        if trigger.exists() and threading.current_thread().name == thread:
            raise Fault("injected")

    def fails(self: object, *arguments: object) -> Any:  # any result
        check()
        return works(self, *arguments)

    setattr(kind, method, fails)


def ends_http_when(trigger: Path, thread: str) -> None:
    """Make the loop of an HTTP server raise once the file exists."""
    works = PatientServer.main_loop

    async def main_loop(self: PatientServer) -> None:
        waiting = asyncio.ensure_future(works(self))
        while not waiting.done():
            await asyncio.wait([waiting], timeout=0.02)
            if trigger.exists() and threading.current_thread().name == thread:
                raise Fault("injected")

    PatientServer.main_loop = main_loop  # type: ignore[method-assign]  # the fault


def ends_grpc_when(trigger: Path) -> None:
    """Make the gRPC server end by itself once the file exists."""
    works = GrpcReceiver.start

    def start(self: GrpcReceiver) -> None:
        works(self)

        def end() -> None:
            while not trigger.exists():
                time.sleep(0.02)
            self._server.stop(None)

        threading.Thread(target=end, daemon=True).start()

    GrpcReceiver.start = start  # type: ignore[method-assign]  # the fault


def arm(part: str, trigger: Path) -> None:
    """Inject the fault into one component."""
    match part:
        case "spool":
            dies_when(trigger, "spool-committer", GroupCommitter, "_commit")
        case "writer":
            dies_when(trigger, "writer", Writer, "_work_off")
        case "extractor":
            dies_when(trigger, "extractor", Extractor, "run_once")
        case "otlp_http" | "api":
            ends_http_when(trigger, part)
        case "otlp_grpc":
            ends_grpc_when(trigger)
        case "stuck":
            dies_when(trigger, "writer", Writer, "_work_off")
            Writer.stop = lambda *_: time.sleep(60)  # type: ignore[method-assign]  # the fault
        case _:
            raise ValueError(part)


if __name__ == "__main__":
    arm(sys.argv[1], Path(sys.argv[2]))
    del sys.argv[1:3]
    main()
