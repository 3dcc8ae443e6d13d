"""Errors of a service, or no service: one line, an exit status, and the place in a query."""

from __future__ import annotations

import sys
import tempfile
from typing import TYPE_CHECKING

import pytest

from spanloom import __main__ as entry
from spanloom.cli.client import ServiceError
from spanloom.cli.origins import name_variables
from spanloom.cli.running import spanloom
from spanloom.client import (
    ApiError,
    ClientError,
    InvalidParameterError,
    NotFoundError,
    NotSpanloomError,
    QueryError,
    TimedOutError,
    UnauthenticatedError,
    UnavailableError,
    UnreachableError,
)
from spanloom.client.errors import Fault

if TYPE_CHECKING:
    from pathlib import Path

FAULT = Fault("where", "no trajectory field 'durtion'", 14, 7, ("duration",))


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        (NotFoundError(404, "t", "There is none."), 1, "There is none."),
        (ApiError(500, "t", "It broke."), 1, "It broke."),
        (NotSpanloomError("another"), 1, "another"),
        (UnauthenticatedError(401, "t", "No key."), 1, "No key; put a key into SPANLOOM_API_KEY"),
        (InvalidParameterError(422, "t", "limit: too many"), 2, "limit: too many"),
        (UnreachableError("nobody"), 3, "nobody; start it with `spanloom serve`, or name its"),
        (TimedOutError("late"), 3, "late"),
        (UnavailableError(503, "t", "busy\x1b[31m"), 3, "busy\\x1b[31m"),
    ],
)
def test_statuses(
    error: ClientError,
    status: int,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert ends(error, monkeypatch) == status
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"spanloom: {said}")


def test_the_place_in_a_query_is_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    error = QueryError({"where": "has_error and durtion > 5s"}, 422, "t", "see errors", [FAULT])
    assert ends(error, monkeypatch) == 2
    assert capsys.readouterr().err.splitlines() == [
        "spanloom: where: no trajectory field 'durtion'; did you mean duration?",
        "  has_error and durtion > 5s",
        "                ^^^^^^^",
    ]


def ends(error: ClientError, monkeypatch: pytest.MonkeyPatch) -> object:
    def fail(**_: object) -> None:
        raise ServiceError(error)

    monkeypatch.setattr(spanloom, "main", fail)
    monkeypatch.setattr(sys, "argv", ["spanloom", "list"])
    with pytest.raises(SystemExit) as end:
        entry.main()
    return end.value.code


@pytest.mark.parametrize(
    "arguments", [["list"], ["import", __file__], ["mcp"], ["sql", "SELECT 1"]]
)
def test_a_bad_value_is_named_by_its_variable_or_its_option(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = "http://127.0.0.1:none"
    monkeypatch.setenv("SPANLOOM_API_URL", bad)
    assert status_of(arguments, monkeypatch) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "SPANLOOM_API_URL" in line
    assert "--api-url" not in line
    assert status_of([*arguments, "--api-url", bad], monkeypatch) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "--api-url" in line
    assert "SPANLOOM_API_URL" not in line


def test_what_a_variable_set_is_named_by_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """Messages from deep inside, which know only the flag, name the variable as well."""
    file = tmp_path / "file"
    file.touch()
    monkeypatch.setenv("SPANLOOM_DATA_DIR", str(file))
    assert status_of(["serve"], monkeypatch) == 1
    assert "or use SPANLOOM_DATA_DIR to choose another" in capsys.readouterr().err
    assert status_of(["serve", f"--data-dir={file}"], monkeypatch) == 1
    assert "or use --data-dir to choose another" in capsys.readouterr().err
    monkeypatch.setenv("SPANLOOM_API_URL", "http://127.0.0.1:1")
    assert status_of(["list"], monkeypatch) == 3
    assert "name its address with SPANLOOM_API_URL" in capsys.readouterr().err


def test_commands_to_type_keep_their_flags(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["spanloom", "serve", "--host=::1"])
    for name in ("SQL_PORT", "API_PORT", "HOST"):
        monkeypatch.setenv(f"SPANLOOM_{name}", "1")
    told = "use --sql-port or --api-port-range, not --host; or `serve --sql-port 8123`"
    assert name_variables(told) == told.replace("use --sql-port", "use SPANLOOM_SQL_PORT")


def status_of(arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> object:
    monkeypatch.setattr(sys, "argv", ["spanloom", *arguments])
    monkeypatch.setattr(tempfile, "tempdir", tempfile.gettempdir())  # serve changes it
    with pytest.raises(SystemExit) as ended:
        entry.main()
    return ended.value.code
