"""How much memory a process of this machine holds."""

from __future__ import annotations

import re
from pathlib import Path


def resident_bytes(pid: int) -> int:
    """Give the resident set of a process now."""
    found = re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    assert found
    return int(found[1]) * 1024
