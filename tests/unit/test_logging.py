"""Log lines have one form, also those of libraries, and logging never fails a process."""

from __future__ import annotations

import io
import json
import logging
import sys
from typing import TYPE_CHECKING

from spanloom.logs import configure_logging, get_logger

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


def test_what_a_library_logs_becomes_a_line_like_ours(capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(2):  # configured again, it is still one line
        configure_logging(fmt="json")
    # a name of its own: a server started by an earlier test may have set the level of its loggers
    logging.getLogger("some.library").warning("%s of %d", "one", 2)
    logging.getLogger("some.library").info("not worth a line")
    line = json.loads(capsys.readouterr().err)
    assert (line["part"], line["event"]) == ("some.library", "one of 2")


def test_what_is_raised_anyway_is_not_logged_too(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging(fmt="json")
    logging.getLogger("clickhouse_connect.driver.httpclient").error("told twice")
    assert capsys.readouterr().err == ""
