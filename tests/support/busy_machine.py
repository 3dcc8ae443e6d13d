"""Keeps the processors busy, as other programs on the machine would."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

SPIN = "import os, sys\nwhile os.getppid() == int(sys.argv[1]):\n    sum(range(100_000))"
"""A program that ends with the process that started it, even if that is killed."""


@contextmanager
def load_of(processes: int) -> Iterator[None]:
    """Run a number of processes that keep a processor busy, within the context."""
    command = [sys.executable, "-c", SPIN, str(os.getpid())]
    spinning = [subprocess.Popen(command) for _ in range(processes)]
    try:
        yield
    finally:
        for one in spinning:
            one.kill()
            one.wait()
