"""The fixture ``agent_run``: opens a block, and reports an incomplete capture."""

from __future__ import annotations

import asyncio
import os
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Protocol

import pytest

from spanloom.testing.blocks import blocks_of_process
from spanloom.testing.options import EVALUATORS, UPDATE
from spanloom.testing.records import Recorder
from spanloom.testing.run import AgentRun, Place

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from contextlib import AbstractContextManager

    from spanloom.testing.blocks import Block


WAIT_S = 5.0
"""Seconds that the end of a block waits for spans of other threads and processes."""
_NAMED = 5
"""Maximum number of spans or traces that a failure message names."""


class OpenRun(Protocol):
    """Opens a block that captures the run of an agent.

    At its end the block waits up to ``wait_s`` seconds for unfinished spans in threads and other
    processes. The default is 5, but 0 in an event loop, because waiting would block the loop.
    """

    def __call__(self, *, wait_s: float | None = None) -> AbstractContextManager[AgentRun]:
        """Open a block; at its end it raises ``AssertionError`` if no complete run was captured."""


@contextmanager
def opening(request: pytest.FixtureRequest) -> Iterator[OpenRun]:
    """Yield the function that opens blocks in one test; drop their spans at the end."""
    try:
        from spanloom.testing import capture  # noqa: PLC0415  # its SDK may be missing
    except ImportError as error:
        pytest.fail(f"agent_run needs opentelemetry-sdk, which the extra testing has: {error}")
    capture.watch_provider()
    recorder = Recorder(request.node)
    place = _place(request)
    opened: list[_Opened] = []

    def open_run(*, wait_s: float | None = None) -> _Opened:
        opened.append(_Opened(place, recorder, wait_s))
        return opened[-1]

    yield open_run
    for one in opened:
        one.forget()


def _place(request: pytest.FixtureRequest) -> Place:
    config = request.config
    named = config.getini(EVALUATORS)
    file = config.rootpath / named if named else None
    return Place(request.path.parent, is_update=config.getoption(UPDATE), evaluators=file)


class _Opened:
    """One block; a separate class, so that no frame of ``contextlib`` is in a traceback."""

    def __init__(self, place: Place, recorder: Recorder, wait_s: float | None) -> None:
        self._place, self._recorder, self._wait_s = place, recorder, wait_s
        self._block: Block | None = None
        self._within = ExitStack()

    def __enter__(self) -> AgentRun:
        from spanloom.testing import capture  # noqa: PLC0415  # its SDK may be missing

        self._block = blocks_of_process().begin()
        self._within.enter_context(capture.within(self._block))
        return AgentRun(self._block, self._place, self._recorder)

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        __tracebackhide__ = True
        from spanloom.testing import capture  # noqa: PLC0415  # its SDK may be missing

        self._within.close()
        assert self._block is not None  # noqa: S101  # set by `__enter__`
        blocks_of_process().end(self._block, _patience(self._wait_s) if kind is None else 0)
        if kind is None:
            _refuse(self._block, capture.provider_name())

    def forget(self) -> None:
        if self._block is not None:
            blocks_of_process().forget(self._block)


def _patience(wait_s: float | None) -> float:
    if wait_s is not None:
        return wait_s
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return WAIT_S
    return 0.0


def _refuse(block: Block, provider: str) -> None:
    """Raise ``AssertionError`` for a block whose run is unknown or incomplete."""
    __tracebackhide__ = True
    if block.unattributed:
        raise AssertionError(
            f"unattributed: {_names(block.unattributed.values())} began without the context of a "
            "block while several were open; start the agent in a copy of the context "
            "(contextvars.copy_context), or in one block at a time"
        )
    if block.running:
        raise AssertionError(
            f"{len(block.running)} spans have not ended: {_names(block.running.values())}; end the "
            "agent within the block (join its threads, await its tasks), or give more time: "
            "agent_run(wait_s=60)"
        )
    if not block.groups:
        raise AssertionError(f"no trace was captured: {_why_none(block, provider)}")


def _why_none(block: Block, provider: str) -> str:
    if block.outside:
        return (
            f"{_names(block.outside.values())} is of a trace that began before the block; begin no "
            "span around it"
        )
    off = ", and OTEL_SDK_DISABLED is set" if os.environ.get("OTEL_SDK_DISABLED") else ""
    return (
        f"the global provider of OpenTelemetry is {provider}{off}; is the agent instrumented, by "
        "this provider?"
    )


def _names(names: Iterable[str]) -> str:
    several = list(dict.fromkeys(names))
    more = f" and {len(several) - _NAMED} more" if len(several) > _NAMED else ""
    return ", ".join(map(repr, several[:_NAMED])) + more
