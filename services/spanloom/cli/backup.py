"""``spanloom backup`` and ``spanloom restore``: copy a data directory, and restore the copy."""

from __future__ import annotations

from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from spanloom.cli.client import client_option
from spanloom.cli.options import SettingsCommand
from spanloom.config import OptionError, ProcessSettings, StoreSettings
from spanloom.core.showing.values import counted
from spanloom.process.backup import Copied, back_up, restore
from spanloom.process.datadir import own_store
from spanloom.storage.engine.connect import store_path
from spanloom.storage.store import open_store
from spanloom.telemetry import configure_logging

if TYPE_CHECKING:
    from spanloom.client.client import Client
    from spanloom.config import Settings

FOLDER = click.Path(path_type=Path)


@click.command(
    "backup",
    cls=SettingsCommand,
    sections=(StoreSettings, ProcessSettings),
    examples=(
        "spanloom backup ~/backups/monday",
        "spanloom backup ~/backups/monday --data-dir ~/traces --api-url http://127.0.0.1:9000",
    ),
)
@click.argument("directory", type=FOLDER)
@client_option
def backup_command(settings: Settings, client: Client, directory: Path) -> None:
    """Copy a data directory into DIRECTORY, new or empty, while a service works in it or not.

    The copy has every span that was acknowledged before the command began. A running service is
    asked to hold its store for a moment, with a key of all projects and the scope admin if there
    are keys. Run it on the service's machine, as its user.
    """
    _refuse_server(settings)
    configure_logging(settings.log_level, settings.log_format)
    with ExitStack() as stack:
        by_hand = own_store(settings, stack)
        copied = back_up(
            settings.data_dir,
            store_path(settings.resolved_store_url),
            directory,
            partial(_take_by_hand, settings) if by_hand else client.take_snapshot,
        )
    click.echo(_worded(copied, directory))


@click.command(
    "restore",
    cls=SettingsCommand,
    sections=(StoreSettings,),
    examples=("spanloom restore ~/backups/monday --data-dir ~/traces",),
)
@click.argument("directory", type=FOLDER)
def restore_command(settings: Settings, directory: Path) -> None:
    """Make a data directory, new or empty, of the backup in DIRECTORY.

    Every file is compared with what `spanloom backup` wrote; one that differs ends it, and nothing
    is left behind. Start `spanloom serve` on the data directory afterwards.
    """
    _refuse_server(settings)
    click.echo(_worded(restore(directory, settings.data_dir), settings.data_dir))


def _refuse_server(settings: Settings) -> None:
    if not settings.is_embedded:
        raise OptionError(
            "--store-url names a ClickHouse server: use its own BACKUP DATABASE and RESTORE; this "
            "command copies a data directory with its embedded store"
        )


def _take_by_hand(settings: Settings) -> None:
    """Take a snapshot of a store that this command owns."""
    with closing(open_store(settings.resolved_store_url)) as store:
        store.snapshots.take()


def _worded(copied: Copied, target: Path) -> str:
    return f"{counted(copied.files, 'file')}, {copied.bytes:,} bytes, copied to {target}"
