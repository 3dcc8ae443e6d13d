"""Ctrl-C while a command is loaded.

Python raises ``KeyboardInterrupt`` wherever it is, and where it cannot be raised it is lost:
``Exception ignored in: <function _get_module_lock.<locals>.cb>`` of an import, or ``'Path'`` of a
model that Pydantic builds. The command then ran as if nobody had pressed a key. So until one runs,
the process just ends: it has done nothing yet.
"""

from __future__ import annotations

import os
import signal
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
