"""``spanloom backup`` and ``spanloom restore``: copy a data directory or a server's database."""

from __future__ import annotations

from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.progress import DownloadColumn, Progress, TextColumn, TimeElapsedColumn

from spanloom.cli.client import client_option
from spanloom.cli.options import SettingsCommand
from spanloom.config.process import ProcessSettings
from spanloom.config.store import StoreSettings
from spanloom.core.showing.values import counted
from spanloom.logs import configure_logging
from spanloom.process.backup import Copied, back_up, back_up_spool, restore
from spanloom.process.datadir import own_store
from spanloom.storage.engine.connect import store_path
from spanloom.storage.snapshots.on_server import ServerBackups
from spanloom.storage.store import open_store

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanloom.client.client import Client
    from spanloom.config.settings import Settings
    from spanloom.storage.snapshots.on_server import ServerCopy


@click.command(
    "backup",
    cls=SettingsCommand,
    sections=(StoreSettings, ProcessSettings),
    examples=(
        "spanloom backup ~/backups/monday",
        "spanloom backup ~/backups/monday --data-dir ~/traces --api-url http://127.0.0.1:9000",
        "spanloom backup ~/backups/spool-monday --spool-only --data-dir /var/lib/spanloom-collect",
        "spanloom backup monday --store-url clickhouse://spanloom@db:8123/traces",
        "spanloom backup \"Disk('backups', 'monday')\" --store-url clickhouse://spanloom@db:8123/traces",
    ),
)
@click.argument("directory")
@click.option(
    "--spool-only",
    is_flag=True,
    help="Copy only the spool of a `spanloom collect`, whose store is a server.",
)
@client_option
def backup_command(settings: Settings, client: Client, directory: str, *, spool_only: bool) -> None:
    """Copy a data directory into DIRECTORY, new or empty, while a service works in it or not.

    The copy has every span that was acknowledged before the command began. A running service is
    asked to hold its store for a moment, with a key of all projects and the scope admin if there
    are keys. Run it on the service's machine, as its user.

    With the --store-url of a ClickHouse server, the server copies the database into DIRECTORY, one
    of its own below the `allowed_path` of its configuration, or to another place in its words.
    First copy the spool of each `spanloom collect` with --spool-only.
    """
    configure_logging(settings.log_level, settings.log_format)
    if spool_only:
        folder = Path(directory).expanduser()
        click.echo(_worded(back_up_spool(settings.data_dir, folder), folder))
    elif settings.is_embedded:
        folder = Path(directory).expanduser()
        click.echo(_worded(_back_up_directory(settings, client, folder), folder))
    else:
        _on_server(settings, "copied to", lambda server, show: server.back_up(directory, show))


@click.command(
    "restore",
    cls=SettingsCommand,
    sections=(StoreSettings,),
    examples=(
        "spanloom restore ~/backups/monday --data-dir ~/traces",
        "spanloom restore monday --store-url clickhouse://spanloom@db:8123/restored",
    ),
)
@click.argument("directory")
def restore_command(settings: Settings, directory: str) -> None:
    """Make a data directory, new or empty, from the backup in DIRECTORY.

    Every file is compared with what `spanloom backup` wrote; if one differs, the command fails and
    leaves nothing. Start `spanloom serve` on the data directory afterwards, or `spanloom collect`
    if the backup is of a spool.

    With the --store-url of a ClickHouse server, the server restores its own backup into the
    database that the URL names, which must exist and have no tables.
    """
    if settings.is_embedded:
        copied = restore(Path(directory).expanduser(), settings.data_dir)
        click.echo(_worded(copied, settings.data_dir))
    else:
        _on_server(
            settings, "restored from", lambda backups, show: backups.restore(directory, show)
        )


def _back_up_directory(settings: Settings, client: Client, folder: Path) -> Copied:
    with ExitStack() as stack:
        by_hand = own_store(settings, stack)
        return back_up(
            settings.data_dir,
            store_path(settings.resolved_store_url),
            folder,
            partial(_take_by_hand, settings) if by_hand else client.take_snapshot,
        )


def _on_server(
    settings: Settings,
    done: str,
    work: Callable[[ServerBackups, Callable[[int], object]], ServerCopy],
) -> None:
    """Make the server back up or restore its database; show the progress on a terminal."""
    columns = (TextColumn("{task.description}"), DownloadColumn(), TimeElapsedColumn())
    console = Console(stderr=True)
    with (
        closing(ServerBackups(settings.resolved_store_url)) as backups,
        Progress(
            *columns, console=console, transient=True, disable=not console.is_terminal
        ) as progress,
    ):
        shown = progress.add_task("the server copies", total=None)
        copied = work(backups, lambda size: progress.update(shown, completed=size))
    count = counted(copied.files, "file")
    click.echo(f"{count}, {copied.bytes:,} bytes, {done} {copied.place} by the server")


def _take_by_hand(settings: Settings) -> None:
    """Take a snapshot of a store that this command owns."""
    with closing(open_store(settings.resolved_store_url)) as store:
        store.snapshots.take()


def _worded(copied: Copied, target: Path) -> str:
    return f"{counted(copied.files, 'file')}, {copied.bytes:,} bytes, copied to {target}"
