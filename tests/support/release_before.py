"""Earlier releases, from the history of the repository.

They were never installed anywhere: their source is unpacked and run by this interpreter with
``PYTHONPATH``. In a copy without that history, such as a shallow clone, tests that need it are
skipped.
"""

from __future__ import annotations

import io
import subprocess
import tarfile
from typing import TYPE_CHECKING

import pytest
from tests.support.programs import ROOT

if TYPE_CHECKING:
    from pathlib import Path

BEFORE = {
    "0003": "aaf08480dc2f468daa6e7ec71dc25222444a710a",
    "0001": "43219a73f457081818c5f07d38da4f4a8fb2f62f",
}
"""Commits by the newest migration that they know; the store of 0.1.0 has only the first."""


def unpack_release(name: str, place: Path) -> Path:
    """Unpack the source of a release; return the value for ``PYTHONPATH``."""
    command = ["git", "-C", str(ROOT), "archive", BEFORE[name], "services"]
    made = subprocess.run(command, capture_output=True, check=False)
    if made.returncode:
        pytest.skip(f"the history lacks the release before: {made.stderr.decode().strip()}")
    with tarfile.open(fileobj=io.BytesIO(made.stdout)) as archive:
        archive.extractall(place, filter="data")
    return place / "services"
