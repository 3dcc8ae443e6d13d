"""``spanloom collect``: the receivers and the writer alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from spanloom.cli.options import SettingsCommand
from spanloom.cli.process import run_roles
from spanloom.config import (
    NetworkSettings,
    ProcessSettings,
    ReceivingSettings,
    StoreSettings,
)
from spanloom.process.wiring import Role

if TYPE_CHECKING:
    from spanloom.config import Settings


@click.command(
    "collect",
    cls=SettingsCommand,
    sections=(StoreSettings, NetworkSettings, ReceivingSettings, ProcessSettings),
    examples=("spanloom collect --store-url clickhouse://spanloom:secret@db:8123/traces",),
)
def collect_command(settings: Settings) -> None:
    """Receive spans, make them durable and write them to the store.

    Needs a data directory of its own for the spool. Health and metrics are on the API port.
    """
    run_roles(settings, Role.COLLECT)
