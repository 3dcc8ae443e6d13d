"""How much memory a process has had, as Linux counts it."""

from __future__ import annotations

from pathlib import Path


def peak_bytes(pid: int) -> int:
    """Return the most memory that the process has had, since its start or ``reset_peak``."""
    status = Path(f"/proc/{pid}/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024


def reset_peak(pid: int) -> None:
    """Begin to look for the peak anew, from what the process has now."""
    Path(f"/proc/{pid}/clear_refs").write_text("5")
