"""Ctrl-C while a command is loaded, and readers of our output that have gone."""

from __future__ import annotations

import os
import select
import signal
import stat
import sys
from threading import Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import FrameType


INTERRUPTED = 130
"""The exit status, as shells have it."""


def leave_at_once() -> None:
    """Have Ctrl-C end the process from now on, unless whoever started it has it ignored."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _leave)


def raise_again() -> None:
    """Have Ctrl-C raise ``KeyboardInterrupt`` again, if ``leave_at_once`` was asked for."""
    if signal.getsignal(signal.SIGINT) is _leave:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _leave(_number: int, _frame: FrameType | None) -> None:
    os._exit(INTERRUPTED)


class ReaderLeftError(Exception):
    """Nobody reads the output any more; a ``BrokenPipeError`` click would make an end with 1."""


def end_with_reader() -> None:
    """Have the process end with 0 once nobody reads its pipe any more.

    For commands that wait for what may not come for hours: without it they would notice only when
    they write. Nothing is done if standard output is no pipe.
    """
    try:
        pipe = sys.stdout.fileno()
        is_pipe = stat.S_ISFIFO(os.fstat(pipe).st_mode)
    except (OSError, ValueError):  # it is closed, or no file at all
        return
    if is_pipe:
        Thread(target=_wait_for_end, args=(pipe,), name="reader", daemon=True).start()


def let_go_of_output() -> bool:
    """Send on what is written; return whether nobody reads it, and see to it that none is missed.

    Python would try again at its end, and say ``Exception ignored … BrokenPipeError``.
    """
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return True
    return False


def _wait_for_end(pipe: int) -> None:
    waiting = select.poll()
    waiting.register(pipe, 0)  # that the reader has gone is always told
    waiting.poll()
    os._exit(0)
