"""``spanloom extract``: the extractor alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from spanloom.cli.options import SettingsCommand
from spanloom.cli.process import run_roles
from spanloom.config import ExtractingSettings, NetworkSettings, ProcessSettings, StoreSettings
from spanloom.process.wiring import Role

if TYPE_CHECKING:
    from spanloom.config import Settings


@click.command(
    "extract",
    cls=SettingsCommand,
    sections=(StoreSettings, NetworkSettings, ExtractingSettings, ProcessSettings),
    examples=("spanloom extract --store-url clickhouse://spanloom:secret@db:8123/traces",),
)
def extract_command(settings: Settings) -> None:
    """Turn stored spans into trajectories, for as long as it runs.

    Needs a ClickHouse server: the embedded store belongs to one process, which is what
    `spanloom serve` is for. Health and metrics are on the API port.
    """
    run_roles(settings, Role.EXTRACT)
