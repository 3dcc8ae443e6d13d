"""Runs a program of this folder: one process may hold one embedded store, so each has its own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any


def run_program(module: str, *arguments: str, timeout_s: float) -> Any:  # JSON
    """Run ``python -m module`` and return the JSON that it prints; fail if it fails."""
    ended = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)
