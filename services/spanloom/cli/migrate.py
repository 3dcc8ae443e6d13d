"""``spanloom migrate``: the store's tables, brought up to date."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING

import click

from spanloom.cli.options import SettingsCommand
from spanloom.config import ProcessSettings, StoreSettings
from spanloom.process.datadir import DataDir
from spanloom.storage.engine.connect import open_store
from spanloom.telemetry import configure_logging

if TYPE_CHECKING:
    from spanloom.config import Settings


@click.command(
    "migrate",
    cls=SettingsCommand,
    sections=(StoreSettings, ProcessSettings),
    examples=("spanloom migrate --store-url clickhouse://spanloom:secret@db:8123/traces",),
)
def migrate_command(settings: Settings) -> None:
    """Apply the schema files that the store does not have yet.

    Every start does the same; use this to do it beforehand, with an account that may.
    """
    configure_logging(settings.log_level, settings.log_format)
    with DataDir(settings.data_dir) if settings.is_embedded else nullcontext():
        open_store(settings.resolved_store_url, settings.retention_days).close()
    click.echo("The store's tables are up to date.")
