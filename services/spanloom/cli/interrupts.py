"""Handles Ctrl-C while a command is loaded, and pipes whose reader has gone."""

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
"""The exit status after Ctrl-C, as in shells."""


def leave_at_once() -> None:
    """Let Ctrl-C end the process from now on, unless the parent process made it ignore Ctrl-C."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _leave)


def raise_again() -> None:
    """Let Ctrl-C raise ``KeyboardInterrupt`` again, if ``leave_at_once`` was called."""
    if signal.getsignal(signal.SIGINT) is _leave:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _leave(_number: int, _frame: FrameType | None) -> None:
    os._exit(INTERRUPTED)


class ReaderLeftError(Exception):
    """The reader of the output is gone; click would turn a ``BrokenPipeError`` into status 1."""


def end_with_reader() -> None:
    """End the process with status 0 once the reader of its pipe is gone.

    For commands that may wait for hours, because they would otherwise notice only at their next
    write. Does nothing if standard output is not a pipe.
    """
    try:
        pipe = sys.stdout.fileno()
        is_pipe = stat.S_ISFIFO(os.fstat(pipe).st_mode)
    except (OSError, ValueError):  # standard output is closed, or not a file
        return
    if is_pipe:
        Thread(target=_wait_for_end, args=(pipe,), name="reader", daemon=True).start()


def let_go_of_output() -> bool:
    """Flush standard output; if that fails, discard the output and return true.

    Flushing fails if the reader is gone or the disk is full. Without discarding, Python would flush
    again at exit and print ``Exception ignored …``.
    """
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return True
    return False


def _wait_for_end(pipe: int) -> None:
    waiting = select.poll()
    waiting.register(pipe, 0)  # POLLERR and POLLHUP are always reported
    waiting.poll()
    os._exit(0)
