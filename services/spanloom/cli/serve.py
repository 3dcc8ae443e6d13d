"""``spanloom serve``: everything in one process."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from spanloom.cli.options import SettingsCommand
from spanloom.cli.process import run_roles
from spanloom.process.wiring import EVERYTHING

if TYPE_CHECKING:
    from spanloom.config import Settings


@click.command(
    "serve",
    cls=SettingsCommand,
    examples=(
        "spanloom serve",
        "spanloom serve --data-dir ~/traces --retention-days 30",
        "spanloom serve --otlp-grpc-port 0 --otlp-http-port 0 --api-port 0",
    ),
)
def serve_command(settings: Settings) -> None:
    """Run receivers, writer, extractor, API and keeper in one process.

    Prints the addresses it listens on: a panel on a terminal, one line of JSON elsewhere.
    SIGTERM or Ctrl-C finishes open requests, drains into the store and exits with 0; what
    the store has not taken by then stays in the data directory for the next start.
    """
    run_roles(settings, EVERYTHING)
