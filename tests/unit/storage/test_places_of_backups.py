"""Secrets of a backup's destination are never shown, and every end of a backup is noticed."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from spanloom.core import secrets
from spanloom.core.errors import StartupError
from spanloom.core.secrets import hide
from spanloom.storage.snapshots import on_server
from spanloom.storage.snapshots.on_server import ServerBackups, place_of, shown

BUCKET = "S3('https://store/bucket', 'the-key-id', 'the-secret')"
AZURE = "AzureBlobStorage('AccountKey=the-account-key', 'box', 'monday')"


@pytest.fixture(autouse=True)
def nothing_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secrets, "_known", set())


@pytest.mark.parametrize(
    ("place", "text"),
    [
        (BUCKET, "S3('https://store/bucket', …)"),
        (AZURE, "AzureBlobStorage(…)"),
        ("S3(collection, 'monday')", "S3(collection, 'monday')"),
        ("Disk('backups', 'monday')", "Disk('backups', 'monday')"),
        ("monday", "File('monday')"),
    ],
)
def test_a_place_is_shown_without_secrets(place: str, text: str) -> None:
    assert shown(place_of(place)) == text


def test_the_secrets_of_a_place_are_hidden_in_what_the_server_says() -> None:
    place_of(BUCKET)
    assert (
        hide(f"cannot write to {BUCKET}") == "cannot write to S3('https://store/bucket', '…', '…')"
    )
    with pytest.raises(StartupError) as refusal:
        place_of("S3('https://store/bucket', 'another-secret'")
    assert "another-secret" not in str(refusal.value)


class State(NamedTuple):
    state: str
    error: str = ""
    files: int = 1
    bytes: int = 2


class Connection:
    """A server that reports these states of a backup in turn, and then knows no backup."""

    def __init__(self, *states: State) -> None:
        self.states = list(states)

    def rows(self, _name: str, **_: object) -> object:
        return iter([self.states.pop(0)] if self.states else [])

    def run(self, _statement: str) -> None:
        """Accept the statement that begins the backup."""


def backups_on(connection: Connection, monkeypatch: pytest.MonkeyPatch) -> ServerBackups:
    monkeypatch.setattr(on_server, "POLL_S", 0)
    made = ServerBackups.__new__(ServerBackups)
    made.__dict__.update(_connection=connection, _own="`d`", _tables=0)
    return made


@pytest.mark.parametrize(
    ("states", "reason"),
    [
        ([State("CREATING_BACKUP")], "knows nothing of it"),
        ([State("CREATING_BACKUP"), State("BACKUP_CANCELLED")], "BACKUP_CANCELLED"),
        ([State("BACKUP_FAILED", "no room. Stack trace")], "no room"),
    ],
)
def test_every_end_is_noticed(
    states: list[State], reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(StartupError, match=reason):
        backups_on(Connection(*states), monkeypatch).back_up("monday")


def test_what_was_copied_is_returned_without_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    connection = Connection(State("CREATING_BACKUP"), State("BACKUP_CREATED"))
    assert backups_on(connection, monkeypatch).back_up(BUCKET) == (shown(BUCKET), 1, 2)
