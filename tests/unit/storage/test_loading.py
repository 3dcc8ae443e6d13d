"""The engine is loaded without PyArrow, and PyArrow stays to be had."""

from __future__ import annotations

import subprocess
import sys

import pytest

LATER = """
import sys
from spanloom.storage.engine.loading import load_engine
load_engine()
assert "chdb" in sys.modules and "pyarrow" not in sys.modules and "numpy" not in sys.modules
import pyarrow
"""
BEFORE = """
import pyarrow, sys
from spanloom.storage.engine.loading import load_engine
load_engine()
assert sys.modules["pyarrow"] is pyarrow
assert sys.modules["chdb.state.sqlitelike"].pa is pyarrow
"""


@pytest.mark.parametrize("program", [LATER, BEFORE], ids=["later", "before"])
def test_whoever_wants_pyarrow_has_it(program: str) -> None:
    pytest.importorskip("pyarrow", reason="the engine no longer brings PyArrow")
    subprocess.run([sys.executable, "-c", program], check=True)
