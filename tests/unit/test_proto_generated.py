"""The files generated from ``proto/`` are up to date with their sources."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.service

ROOT = Path(__file__).parents[2]
SCHEMA = Path("services/spanloom/storage/schema/store.proto")


def check(root: Path) -> subprocess.CompletedProcess[str]:
    """Run ``proto/regenerate.py --check`` on a checkout, which writes nothing."""
    return subprocess.run(
        [sys.executable, root / "proto" / "regenerate.py", "--check"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """Copy the files that the command reads to a folder, and return it."""
    shutil.copytree(ROOT / "proto", tmp_path / "proto")
    (tmp_path / SCHEMA).parent.mkdir(parents=True)
    shutil.copy(ROOT / SCHEMA, tmp_path / SCHEMA)
    return tmp_path


def test_generated_files_and_the_installed_otlp_package_are_up_to_date() -> None:
    checked = check(ROOT)
    assert checked.returncode == 0, checked.stdout + checked.stderr


@pytest.mark.parametrize(
    ("file", "old", "new", "told"),
    [
        ("spanloom/store.proto", "seq = 1000", "seq = 1003", "not the one in proto/"),
        ("spanloom/receive.proto", "int32 kind = 6", "int64 kind = 6", "not what receive.proto"),
        ("spanloom/receive.proto", "string name = 5", "string title = 5", "not what receive.proto"),
        (
            "opentelemetry/proto/trace/v1/trace.proto",
            "fixed64 start_time_unix_nano = 7",
            "uint64 start_time_unix_nano = 7",
            "another opentelemetry.proto.trace.v1.Span, field 7",
        ),
        (
            "opentelemetry/proto/trace/v1/trace.proto",
            "    STATUS_CODE_OK ",
            "    STATUS_CODE_FINE ",
            "another opentelemetry.proto.trace.v1.Status.StatusCode, value 1",
        ),
    ],
)
def test_what_is_stale_is_named(copied: Path, file: str, old: str, new: str, told: str) -> None:
    path = copied / "proto" / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    before = (copied / SCHEMA).read_bytes()
    checked = check(copied)
    assert checked.returncode == 1
    assert told in checked.stdout
    assert (copied / SCHEMA).read_bytes() == before


def test_an_older_or_newer_otlp_package_is_no_problem(copied: Path) -> None:
    path = copied / "proto/opentelemetry/proto/trace/v1/trace.proto"
    text = path.read_text()
    newer = text.replace("message Span {", "message Span {\n  string mood = 99;")
    path.write_text(newer.replace("  fixed32 flags = 16;", ""))
    assert check(copied).returncode == 0
