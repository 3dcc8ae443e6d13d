"""Runs ``real_server`` with accounts and profiles of the test."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from tests.support.started_server import started_server

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from tests.support.started_server import StartedServer

SECRET = "s3cret-Pass+word"  # noqa: S105  # of a server of the tests
_ACCOUNT = """\
<{name}><password>{password}</password><networks><ip>127.0.0.1</ip></networks>\
<quota>default</quota><profile>{profile}</profile><grants>{grants}</grants></{name}>"""


class Account(NamedTuple):
    """An account of a server, with ``SECRET`` as its password."""

    grants: Sequence[str] = ("GRANT ALL ON *.*",)
    profile: str = "default"


class ConfiguredServer:
    """A running server whose accounts have ``SECRET`` as their password."""

    def __init__(self, server: StartedServer) -> None:
        self.server = server

    @property
    def port(self) -> int:
        return self.server.http

    def url(self, account: str = "owner", database: str = "spanloom") -> str:
        """Return the URL of a store for an account."""
        return f"clickhouse://{account}:{SECRET}@127.0.0.1:{self.port}/{database}"


@contextmanager
def configured_server(
    place: Path,
    accounts: Mapping[str, Account],
    profiles: Mapping[str, Mapping[str, object]] | None = None,
    made: Path | None = None,
) -> Iterator[ConfiguredServer]:
    """Run a server with these accounts and profiles, and ``owner``, who has all rights.

    A profile maps settings to values, which cannot change while the server runs. ``made`` is the
    directory of a server whose data is copied.
    """
    (place / "users.d").mkdir(parents=True, exist_ok=True)
    everybody = {"owner": Account(), **accounts}
    (place / "users.d" / "own.xml").write_text(_users(everybody, profiles or {}))
    with started_server(place, made=made) as server:
        yield ConfiguredServer(server)


def _users(accounts: Mapping[str, Account], profiles: Mapping[str, Mapping[str, object]]) -> str:
    made = "".join(
        f"<{name}>{''.join(f'<{s}>{value}</{s}>' for s, value in settings.items())}</{name}>"
        for name, settings in profiles.items()
    )
    users = "".join(
        _ACCOUNT.format(
            name=name,
            password=SECRET,
            profile=account.profile,
            grants="".join(f"<query>{grant}</query>" for grant in account.grants),
        )
        for name, account in accounts.items()
    )
    return f"<clickhouse><profiles>{made}</profiles><users>{users}</users></clickhouse>"
