"""The commands that run a process until a signal: all roles together, or a single one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from spanloom.cli.options import SettingsCommand
from spanloom.cli.process import run_roles
from spanloom.config import (
    BuildingSettings,
    ExtractingSettings,
    NetworkSettings,
    ProcessSettings,
    ReceivingSettings,
    RedactionSettings,
    SearchingSettings,
    StoreSettings,
)
from spanloom.process.wiring import EVERYTHING, Role

if TYPE_CHECKING:
    from spanloom.config import Settings


@click.command(
    "serve",
    cls=SettingsCommand,
    examples=(
        "spanloom serve",
        "spanloom serve --data-dir ~/traces --retention-days 30",
        "spanloom serve --otlp-grpc-port 0 --otlp-http-port 0 --api-port 0",
        "spanloom serve --open",
    ),
)
@click.option("--open", "opens", is_flag=True, help="Open the page in the browser.")
def serve_command(settings: Settings, opens: bool) -> None:
    """Run receivers, writer, extractor, API and keeper in one process.

    Prints the addresses it listens on when they can be used: a panel on a terminal, elsewhere one
    line of JSON (api, otlp_grpc, otlp_http, data_dir, pid) for programs that start it.
    SIGTERM or Ctrl-C finishes open requests, drains into the store and exits with 0; what
    the store has not taken by then stays in the data directory for the next start.
    """
    run_roles(settings, EVERYTHING, opens=opens)


@click.command(
    "collect",
    cls=SettingsCommand,
    sections=(
        StoreSettings,
        NetworkSettings,
        ReceivingSettings,
        RedactionSettings,
        ProcessSettings,
    ),
    examples=("spanloom collect --store-url clickhouse://spanloom:secret@db:8123/traces",),
)
def collect_command(settings: Settings) -> None:
    """Receive spans, make them durable and write them to the store.

    Needs a data directory of its own for the spool. Health and metrics are on the API port.
    """
    run_roles(settings, Role.COLLECT)


@click.command(
    "extract",
    cls=SettingsCommand,
    sections=(
        StoreSettings,
        NetworkSettings,
        ExtractingSettings,
        BuildingSettings,
        SearchingSettings,
        ProcessSettings,
    ),
    examples=("spanloom extract --store-url clickhouse://spanloom:secret@db:8123/traces",),
)
def extract_command(settings: Settings) -> None:
    """Turn stored spans into trajectories, for as long as it runs.

    Needs a ClickHouse server: the embedded store belongs to one process, which is what
    `spanloom serve` is for. Health and metrics are on the API port.
    """
    run_roles(settings, Role.EXTRACT)


@click.command(
    "api",
    cls=SettingsCommand,
    sections=(StoreSettings, NetworkSettings, SearchingSettings, ProcessSettings),
    examples=("spanloom api --store-url clickhouse://reader:secret@db:8123/traces",),
)
def api_command(settings: Settings) -> None:
    """Answer readers from the store.

    Needs a ClickHouse server: the embedded store belongs to one process, which is what
    `spanloom serve` is for.
    """
    run_roles(settings, Role.API)


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
