"""``spanloom keeper``: the keeper alone."""

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
    "keeper",
    cls=SettingsCommand,
    sections=(StoreSettings, NetworkSettings, ProcessSettings),
    examples=("spanloom keeper --store-url clickhouse://admin:secret@db:8123/traces",),
)
def keeper_command(settings: Settings) -> None:
    """Bring the store's tables up to date, then remove what has expired or was deleted.

    Run one beside `collect`, `extract` and `api` on a ClickHouse server, with an account that
    may change tables; the others need no such account. `spanloom serve` includes it.
    """
    run_roles(settings, Role.KEEP)
