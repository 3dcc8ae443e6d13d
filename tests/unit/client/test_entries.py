"""Files of annotations: a bad entry is refused alone, a file of another kind as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from spanloom.client.transfer.entries import read_entries

if TYPE_CHECKING:
    from pathlib import Path


def test_a_bad_line_does_not_stop_its_neighbours(tmp_path: Path) -> None:
    path = tmp_path / "said.jsonl"
    path.write_bytes(b'no\n{"trace_id":"a"}\n[1]\n3\n{"trace_id":"b"}\n{"cut')
    entries, refused = read_entries(path, None)
    assert [entry["trace_id"] for entry in entries] == ["a", "b"]
    assert [one.place for one in refused] == ["line 1", "line 3", "line 4", "line 6"]
    assert all("\n" not in one.reason for one in refused)


@pytest.mark.parametrize("content", [b"", b"\xff\xfe{\x00", b"no JSON", b"\x1f\x8b"])
@pytest.mark.parametrize("name", ["said.jsonl", "user_state.json", "other.csv"])
def test_a_file_that_is_none_has_one_reason(tmp_path: Path, name: str, content: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    entries, refused = read_entries(path, None)
    assert entries == []
    assert len(refused) <= 1
    assert refused or name == "other.csv"
