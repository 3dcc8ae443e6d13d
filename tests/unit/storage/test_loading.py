"""The engine is loaded without PyArrow, which can still be imported.

The engine also works without PyArrow and without the packages that the container image lacks:
pandas, NumPy and dateutil (``deploy/Dockerfile``).
"""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.service

LATER = """
import sys
from spanloom.storage.engine.embedded import load_engine
load_engine()
assert "chdb" in sys.modules and not {"pyarrow", "numpy", "pandas"} & set(sys.modules)
import pyarrow
"""
BEFORE = """
import pyarrow, sys
from spanloom.storage.engine.embedded import load_engine
load_engine()
assert sys.modules["pyarrow"] is pyarrow
assert sys.modules["chdb.state.sqlitelike"].pa is pyarrow
"""

NEVER = """
import sys
sys.modules |= dict.fromkeys(["pyarrow", "pandas", "numpy", "dateutil"])
import clickhouse_connect
from spanloom.storage.engine.embedded import load_engine
load_engine()
client = clickhouse_connect.get_client(interface="chdb", path=sys.argv[1])
assert client.raw_query("SELECT 1").strip() == b"1"
"""

GIVEN_BACK = """
import sys
import clickhouse_connect
from pathlib import Path
from spanloom.storage.engine.embedded import give_back_code, load_engine

def mapped_mib():
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("RssFile")) / 1024

load_engine()
client = clickhouse_connect.get_client(interface="chdb", path=sys.argv[1])
before = mapped_mib()
give_back_code()
assert client.raw_query("SELECT sum(number) FROM numbers(10)").strip() == b"45"
assert mapped_mib() < before - 30, (before, mapped_mib())
"""


@pytest.mark.parametrize("program", [LATER, BEFORE], ids=["later", "before"])
def test_whoever_wants_pyarrow_has_it(program: str) -> None:
    pytest.importorskip("pyarrow", reason="the engine no longer brings PyArrow")
    subprocess.run([sys.executable, "-c", program], check=True)


def test_the_engine_works_where_they_are_not_installed(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", NEVER, str(tmp_path / "store")], check=True)


@pytest.mark.skipif(sys.platform != "linux", reason="no other system says where code is")
def test_what_only_the_start_needed_is_given_back(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", GIVEN_BACK, str(tmp_path / "store")], check=True)
