"""``spanloom api``: the API alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from spanloom.cli.options import SettingsCommand
from spanloom.cli.process import run_roles
from spanloom.config import NetworkSettings, ProcessSettings, StoreSettings
from spanloom.process.wiring import Role

if TYPE_CHECKING:
    from spanloom.config import Settings


@click.command(
    "api",
    cls=SettingsCommand,
    sections=(StoreSettings, NetworkSettings, ProcessSettings),
    examples=("spanloom api --store-url clickhouse://reader:secret@db:8123/traces",),
)
def api_command(settings: Settings) -> None:
    """Answer readers from the store.

    Needs a ClickHouse server: the embedded store belongs to one process, which is what
    `spanloom serve` is for.
    """
    run_roles(settings, Role.API)
