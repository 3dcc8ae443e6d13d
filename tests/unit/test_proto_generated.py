"""What is generated from ``proto/`` says what its sources say."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_generated_files_and_the_installed_otlp_package_are_up_to_date() -> None:
    check = subprocess.run(
        [sys.executable, ROOT / "proto" / "regenerate.py", "--check"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert check.returncode == 0, check.stdout + check.stderr
