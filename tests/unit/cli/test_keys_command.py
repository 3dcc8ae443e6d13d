"""``spanloom keys`` as a user types it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from spanloom.access.keys import key_id_of

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import RunSpanloom


def test_a_key_is_made_listed_and_revoked(run_spanloom: RunSpanloom, tmp_path: Path) -> None:
    data = f"--data-dir={tmp_path / 'data'}"
    made = run_spanloom("keys", "create", "--project=support", "--scopes=ingest, read", data)
    assert made.returncode == 0, made.stderr
    key_id = key_id_of(made.stdout.removesuffix("\n"))  # a pipe gets the key alone
    assert key_id
    assert "every request needs one" in made.stderr

    listed = run_spanloom("keys", "list", "--json", data)
    assert made.stdout.strip() not in listed.stdout
    (key,) = map(json.loads, listed.stdout.splitlines())
    assert (key["id"], key["project"]) == (key_id, "support")
    assert key["scopes"] == ["ingest", "read"]
    assert key["revoked_at"] is key["expires_at"] is key["last_used_at"] is None

    assert run_spanloom("keys", "revoke", key_id, data).returncode == 0
    assert "revoked" in run_spanloom("keys", "list", "--output=table", data).stdout
    for file in (tmp_path / "data").iterdir():
        assert made.stdout.strip().encode() not in file.read_bytes(), file


def test_the_first_key_needs_no_options_and_the_second_does(
    run_spanloom: RunSpanloom, tmp_path: Path
) -> None:
    data = f"--data-dir={tmp_path / 'data'}"
    made = run_spanloom("keys", "create", data)
    assert made.returncode == 0, made.stderr
    (key,) = map(json.loads, run_spanloom("keys", "list", "--json", data).stdout.splitlines())
    assert key["project"] in {"*", "all", None}
    assert set(key["scopes"]) == {"ingest", "read", "annotate", "admin"}
    again = run_spanloom("keys", "create", data)
    assert (again.returncode, again.stdout) == (2, "")
    for word in ("--project", "--all-projects", "--scopes", "ingest"):
        assert word in again.stderr


@pytest.mark.parametrize(
    ("arguments", "told", "status"),
    [
        (["create", "--scopes=read"], "--project", 2),
        (["create", "--scopes=read", "--project=p", "--all-projects"], "--all-projects", 2),
        (["create", "--project=p"], "--scopes", 2),
        (["create", "--all-projects"], "--scopes", 2),
        (["create", "--scopes=write", "--project=p"], "ingest, read, annotate, admin", 2),
        (["create", "--scopes=read", "--project=p", "--expires=soon"], "90d", 2),
        (["create", "--scopes=read", "--project=p", "--expires=2001-01-01"], "expired", 1),
        (["create", "--scopes=", "--project=p"], "scope", 1),
        (["revoke", "0f3a9c5b7d21"], "no key", 1),
    ],
)
def test_mistakes_are_told_in_one_line(
    arguments: list[str], told: str, status: int, run_spanloom: RunSpanloom, tmp_path: Path
) -> None:
    ended = run_spanloom("keys", *arguments, f"--data-dir={tmp_path}")
    assert (ended.returncode, ended.stdout) == (status, "")
    assert told in ended.stderr
    assert ended.stderr.count("\n") == 1
