"""How much memory a process has had, as Linux counts it."""

from __future__ import annotations

from pathlib import Path


def peak_bytes(pid: int) -> int:
    """Return the most memory that the process has had, since its start or ``reset_peak``."""
    return _status_bytes(pid, "VmHWM")


def resident_bytes(pid: int) -> int:
    """Return the memory that the process has now."""
    return _status_bytes(pid, "VmRSS")


def reset_peak(pid: int) -> None:
    """Begin to look for the peak anew, from what the process has now."""
    Path(f"/proc/{pid}/clear_refs").write_text("5")


def _status_bytes(pid: int, field: str) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith(field))
    return int(line.split()[1]) * 1024
