"""Whoever reads our output has gone, as ``head`` has after ten lines: that ends a command well."""

from __future__ import annotations

import os
import select
import stat
import sys
from threading import Thread


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
