"""Files of annotations: a bad entry is refused alone, a file of another kind as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson
import pytest

from spanloom.cli.annotations import requests_of
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


def test_a_bad_file_of_a_folder_does_not_stop_its_neighbours(tmp_path: Path) -> None:
    label = {"schema": "s", "name": "n"}
    good = {"user_id": "", "instance_id_to_label_to_value": {"t": [[label, {"score": 1}]]}}
    bad = {**good, "instance_id_to_label_to_value": {"t": 7}}
    for user, state in (("ada", good), ("bo", bad), ("eve", good)):
        folder = tmp_path / user
        folder.mkdir()
        (folder / "user_state.json").write_bytes(orjson.dumps(state))
    entries, refused = read_entries(tmp_path, None)
    assert [entry["annotator"] for entry in entries] == ["ada", "eve"]
    (one,) = refused
    assert one.place == "bo/user_state.json"
    assert one.reason.startswith("no file of Potato's: ")


def test_an_entry_without_a_list_of_steps_is_sent(tmp_path: Path) -> None:
    path = tmp_path / "said.jsonl"
    path.write_bytes(b'{"trace_id":"a","steps":7}')
    entries, refused = read_entries(path, None)
    assert refused == []
    assert list(requests_of(iter(entries))) == [entries]
