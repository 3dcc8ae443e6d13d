"""Reads the CPU time of a process from Linux; a busy machine does not increase it."""

from __future__ import annotations

import os
from pathlib import Path

_USER, _SYSTEM = 11, 12
"""Indices among the fields of ``/proc/PID/stat`` after the name."""


class Work:
    """The CPU time of a process since this object was made, with all its threads."""

    def __init__(self, pid: int) -> None:
        self._stat = Path(f"/proc/{pid}/stat")
        self._before = self._ticks()

    def spent_s(self) -> float:
        return (self._ticks() - self._before) / os.sysconf("SC_CLK_TCK")

    def _ticks(self) -> int:
        fields = self._stat.read_text().rpartition(")")[2].split()
        return int(fields[_USER]) + int(fields[_SYSTEM])
