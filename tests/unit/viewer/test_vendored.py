"""The vendored libraries are exactly the recorded files, unchanged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.viewer import vendored

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_every_file_is_what_was_recorded() -> None:
    assert vendored.differences() == []


def test_a_changed_file_and_one_too_many_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for file in vendored.VENDOR.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    monkeypatch.setattr(vendored, "VENDOR", tmp_path)
    (tmp_path / "htm.js").write_text("export default 1;\n")
    (tmp_path / "stranger.js").write_text("")
    assert vendored.differences() == [
        "htm.js is not what was recorded",
        "stranger.js is recorded nowhere",
    ]
