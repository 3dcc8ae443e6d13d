"""Mounts a small file system in memory."""

from __future__ import annotations

import subprocess
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@contextmanager
def mounted(path: Path, size: str) -> Iterator[None]:
    """Mount a disk of a size such as ``128m`` at a new folder; skip the test if not permitted."""
    path.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(path)]
    made = subprocess.run(mount, capture_output=True, text=True, check=False)
    if made.returncode:
        pytest.skip(f"a small disk needs the right to mount: {made.stderr.strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(path)], check=True)
