"""``spanloom migrate``: the store's tables, brought up to date."""

from __future__ import annotations

import sys
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING

import click
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from spanloom.cli.options import SettingsCommand
from spanloom.config import ProcessSettings, StoreSettings
from spanloom.process.datadir import DataDir
from spanloom.storage.upkeep.open import open_upkeep
from spanloom.telemetry import configure_logging
from spanloom.terminal.output import make_console

if TYPE_CHECKING:
    from spanloom.config import Settings
    from spanloom.core.ports.upkeep import Upkeep


@click.command(
    "migrate",
    cls=SettingsCommand,
    sections=(StoreSettings, ProcessSettings),
    examples=("spanloom migrate --store-url clickhouse://spanloom:secret@db:8123/traces",),
)
def migrate_command(settings: Settings) -> None:
    """Apply the schema files that the store does not have yet.

    `spanloom serve` and `spanloom keeper` do the same when they start; every other command
    refuses a store whose tables are of another version. Runs that an older release stored are
    laid out anew here; a started service does that beside its work. Retention is left as it is.
    Killed on the way, the same command goes on where it was.
    """
    configure_logging(settings.log_level, settings.log_format)
    with ExitStack() as stack:
        if settings.is_embedded:
            stack.enter_context(DataDir(settings.data_dir))
        upkeep = stack.enter_context(closing(open_upkeep(settings.resolved_store_url)))
        for name in upkeep.migrate():
            click.echo(f"applied {name}")
        _lay_out(upkeep)
    click.echo("The store's tables are up to date.")


def _lay_out(upkeep: Upkeep) -> None:
    """Lay out what an older release stored, and show how far it is, on a terminal."""
    console = make_console(sys.stderr)
    columns = (TextColumn("laying out runs"), BarColumn(), MofNCompleteColumn())
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as progress:
        task, most = progress.add_task("", total=None), 0
        while left := upkeep.lay_out():
            most = max(most, left)
            progress.update(task, total=most, completed=most - left)
