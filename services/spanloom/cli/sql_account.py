"""``spanloom sql-account``: accounts of a ClickHouse server that may read the public views."""

from __future__ import annotations

import secrets
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import click

from spanloom.cli.options import SettingsCommand, TeachingGroup
from spanloom.config.store import StoreSettings
from spanloom.storage.upkeep.store import open_upkeep

if TYPE_CHECKING:
    from spanloom.config.settings import Settings

_BYTES = 24


@click.group(
    "sql-account",
    cls=TeachingGroup,
    examples=("spanloom sql-account create grafana --store-url clickhouse://admin@db:8123/traces",),
)
def sql_account_group() -> None:
    """Create accounts of a ClickHouse server that may only read the public views."""


@sql_account_group.command("create", cls=SettingsCommand, sections=(StoreSettings,))
@click.argument("name")
@click.option(
    "--password-file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="PATH",
    help="File with its password (default: a new one, which is printed).",
)
def create_command(name: str, password_file: Path | None, settings: Settings) -> None:
    """Make an account that may read v_trajectories, v_steps, v_documents and v_spans.

    It cannot change anything, and sees no deleted rows. The account of --store-url must be the
    keeper's, with the rights to make accounts (CREATE USER) and to grant (WITH GRANT OPTION). The
    embedded store has no accounts: a key with the scope read opens its SQL port.
    """
    if settings.is_embedded:
        raise click.UsageError(
            "the embedded store has no accounts: make a key, `spanloom keys create --scopes read`"
        )
    password = _read(password_file) if password_file else secrets.token_urlsafe(_BYTES)
    with closing(open_upkeep(settings.resolved_store_url)) as upkeep:
        upkeep.create_reader(name, password)
    if not password_file:
        click.echo(password)
    if sys.stdout.isatty():
        click.echo(f"The account {name} can read the views (docs/sql.md).", err=True)


def _read(file: Path) -> str:
    """Return the password in a file; raises ``click.UsageError`` if there is none."""
    password = file.read_text("utf-8").strip("\r\n")
    if not password:
        raise click.UsageError(f"the file {file} is empty: the account would have no password")
    return password
