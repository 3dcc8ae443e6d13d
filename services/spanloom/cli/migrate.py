"""``spanloom migrate``: brings the store's tables up to date."""

from __future__ import annotations

from contextlib import ExitStack, closing
from typing import TYPE_CHECKING

import click

from spanloom.cli.options import SettingsCommand
from spanloom.config.process import ProcessSettings
from spanloom.config.store import StoreSettings
from spanloom.logs import configure_logging
from spanloom.process.datadir import DataDir
from spanloom.storage.upkeep.store import open_upkeep

if TYPE_CHECKING:
    from spanloom.config.settings import Settings


@click.command(
    "migrate",
    cls=SettingsCommand,
    sections=(StoreSettings, ProcessSettings),
    examples=("spanloom migrate --store-url clickhouse://spanloom:secret@db:8123/traces",),
)
@click.option(
    "--finish",
    is_flag=True,
    help="End the upgrade of a server now: older releases are refused from then on.",
)
def migrate_command(settings: Settings, finish: bool) -> None:
    """Apply the schema files that the store does not have yet.

    `spanloom serve` and `spanloom keeper` do the same when they start. On a server with tables this
    adds what the version needs, and processes of the previous release continue to work, until the
    keeper (`--finish-upgrade-s`) or `--finish` ends the upgrade. Retention is not changed. If it is
    killed, run it again to continue.
    """
    configure_logging(settings.log_level, settings.log_format)
    with ExitStack() as stack:
        if settings.is_embedded:
            stack.enter_context(DataDir(settings.data_dir))
        upkeep = stack.enter_context(closing(open_upkeep(settings.resolved_store_url)))
        for name in upkeep.migrate():
            click.echo(f"applied {name}")
        if finish:
            for name in upkeep.finish_upgrade(0):
                click.echo(f"finished {name}")
        is_open = upkeep.awaited() is not None
    click.echo("The store's tables are up to date.")
    if is_open:
        click.echo(
            "Processes of the previous release may continue; `spanloom migrate --finish` ends that."
        )
