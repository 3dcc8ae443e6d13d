"""Reads the memory usage of a process from Linux."""

from __future__ import annotations

from pathlib import Path


def resident_bytes(pid: int) -> int:
    """Return the current memory of the process, including its program files."""
    return _status_bytes(pid, "VmRSS")


def own_bytes(pid: int) -> int:
    """Return the current private memory of the process."""
    return _status_bytes(pid, "RssAnon")


def peak_bytes(pid: int) -> int:
    """Return the peak memory of the process so far; 0 once it has ended."""
    try:
        return _status_bytes(pid, "VmHWM")
    except (FileNotFoundError, ProcessLookupError, StopIteration):
        return 0


class Growth:
    """The growth of a process's memory since this object was made.

    Mapped program files are excluded, because a service unmaps the files that only its start
    needed, and maps others again.
    """

    def __init__(self, pid: int) -> None:
        Path(f"/proc/{pid}/clear_refs").write_text("5")  # resets the peak to the current value
        self._pid = pid
        self._before = own_bytes(pid)

    def at_most(self) -> int:
        """Return the peak growth, under the assumption that fewer files were mapped then."""
        own_peak = _status_bytes(self._pid, "VmHWM") - _status_bytes(self._pid, "RssFile")
        return own_peak - self._before


def _status_bytes(pid: int, field: str) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith(field))
    return int(line.split()[1]) * 1024
