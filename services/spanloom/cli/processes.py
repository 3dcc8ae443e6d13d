"""Commands that run a process until a signal, with all roles or one, and its options."""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
import threading
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, NoReturn

import click
from rich.console import Console
from rich.panel import Panel
from rich.table import Table

from spanloom.cli.options import SettingsCommand
from spanloom.config.extracting import BuildingSettings, ExtractingSettings, SearchingSettings
from spanloom.config.process import NetworkSettings, ProcessSettings
from spanloom.config.receiving import ReceivingSettings, RedactionSettings
from spanloom.config.store import StoreSettings
from spanloom.logs import configure_logging
from spanloom.memory import favour_speed
from spanloom.process.datadir import temporary_in
from spanloom.process.descriptors import raise_limit
from spanloom.process.page import open_page
from spanloom.process.roles import EVERYTHING, Role
from spanloom.process.supervisor import FAILED_END_S, PartFailedError
from spanloom.process.wiring import Service

if TYPE_CHECKING:
    from types import FrameType

    from spanloom.config.settings import Settings


_LABELS = {"otlp_grpc": "OTLP/gRPC", "otlp_http": "OTLP/HTTP", "api": "API"}


class Interruption:
    """SIGTERM and SIGINT as an event; the second signal ends the process at once.

    With ``threading.Event`` the handler could wait for a lock held by the thread it interrupts;
    ``SimpleQueue.put`` is reentrant.
    """

    def __init__(self) -> None:
        """Install the handlers; must be called on the main thread."""
        self._is_set = False
        self._came: SimpleQueue[int] = SimpleQueue()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._receive)

    def wait(self, timeout: float) -> bool:
        """Wait up to ``timeout`` seconds; return whether a signal has arrived."""
        if not self._is_set:
            with suppress(Empty):
                self._came.get(timeout=timeout)
        return self._is_set

    def _receive(self, number: int, _frame: FrameType | None) -> None:
        if self._is_set:
            os._exit(128 + number)  # second signal: run nothing that may hang
        self._is_set = True
        self._came.put(number)


def run_roles(settings: Settings, roles: Role, *, opens: bool = False) -> NoReturn:
    """Run the roles until a signal, then drain and close everything and end the process.

    ``opens`` opens the page in the user's browser once it is served. Raises ``StartupError`` if the
    roles cannot start, ``PartFailedError`` if a component fails.
    """
    is_quiet = settings.quiet and settings.log_level == "info"
    configure_logging("warning" if is_quiet else settings.log_level, settings.log_format)
    favour_speed()
    raise_limit()
    if Role.COLLECT in roles:  # temporary files of batches belong on the data directory's disk
        tempfile.tempdir = str(temporary_in(settings.data_dir))
    interruption = Interruption()
    with Service(settings, roles) as service:
        page = f"{service.addresses['api']}/" if Role.API in roles else ""
        announce(service.addresses, settings, page)
        if opens:
            open_page(page)
        try:
            service.wait(interruption)
        except PartFailedError as error:
            end_within(FAILED_END_S, error)
            raise
    leave()


def leave() -> NoReturn:
    """End the process with status 0, without finalizing the interpreter.

    Finalizing would unload the engine's library, which takes half a second and most of a core.
    """
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # the reader is gone
            stream.flush()
    os._exit(0)


def end_within(seconds: float, error: PartFailedError) -> None:
    """End the process with status 1 after ``seconds`` if a component prevents it from ending."""

    def end() -> None:
        print(f"spanloom: {error}; a part did not end in time", file=sys.stderr, flush=True)
        os._exit(1)

    timer = threading.Timer(seconds, end)
    timer.daemon = True
    timer.start()


def announce(addresses: dict[str, str], settings: Settings, page: str = "") -> None:
    """Print the addresses of receivers and API: a panel on a terminal, otherwise a JSON line.

    ``page`` is the URL of the page, empty without one.
    """
    if not sys.stdout.isatty():
        started = {**addresses, "data_dir": str(settings.data_dir.absolute()), "pid": os.getpid()}
        print(json.dumps(started), flush=True)
        return
    Console().print(address_panel(addresses, settings, page))


def address_panel(addresses: dict[str, str], settings: Settings, page: str = "") -> Panel:
    """Return the addresses as a panel for a terminal."""
    table = Table.grid(padding=(0, 2))
    for part, label in _LABELS.items():
        if part in addresses:
            table.add_row(label, f"[bold]{addresses[part]}[/bold]")
    table.add_row("data", str(settings.data_dir.absolute()))
    if "otlp_grpc" in addresses:
        table.add_row("")
        table.add_row("send", f"export OTEL_EXPORTER_OTLP_ENDPOINT={addresses['otlp_http']}")
        table.add_row("", "the address of OTLP/gRPC only for exporters that speak gRPC")
        table.add_row("", "`spanloom instrument` shows what else your framework needs")
        table.add_row("look", "spanloom tail" + (f", or {page} in a browser" if page else ""))
    return Panel.fit(table, title="spanloom", subtitle="Ctrl-C stops", border_style="dim")


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

    Prints the addresses it listens on once they accept requests: a panel on a terminal, elsewhere
    one line of JSON (api, otlp_grpc, otlp_http, data_dir, pid) for programs that start it. SIGTERM
    or Ctrl-C finishes open requests, drains into the store and exits with 0; requests not stored by
    then stay in the data directory for the next start.
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
    """Turn stored spans into trajectories until stopped.

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
    """Serve the API from the store.

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

    Run one keeper in addition to `collect`, `extract` and `api` on a ClickHouse server, with an
    account that may change tables; the others do not need that. `spanloom serve` includes it.
    """
    run_roles(settings, Role.KEEP)
