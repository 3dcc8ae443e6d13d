"""Log lines are help, never a reason to fail."""

from __future__ import annotations

import io
import json
import sys
from typing import TYPE_CHECKING

from spanloom.telemetry import configure_logging, get_logger

if TYPE_CHECKING:
    import pytest


def test_a_log_reader_that_went_away_stops_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    configure_logging(fmt="json")
    gone = io.StringIO()
    gone.close()
    monkeypatch.setattr(sys, "stderr", gone)
    get_logger("test").error("nobody reads this")


def test_a_line_is_json_in_a_pipe(
    capsys: pytest.CaptureFixture[str],
) -> None:
    configure_logging(fmt="auto")
    get_logger("test").warning("seen", count=3)
    line = json.loads(capsys.readouterr().err)
    assert (line["part"], line["event"], line["count"], line["level"]) == (
        "test",
        "seen",
        3,
        "warning",
    )
