"""``spanloom demo``: sends a real agent run to a temporary service and shows the result."""

from __future__ import annotations

import secrets
import sys
import time
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

import click
import httpx
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.text import Text

from spanloom.cli.options import SettingsCommand
from spanloom.cli.processes import Interruption
from spanloom.config.process import NetworkSettings, ProcessSettings
from spanloom.config.receiving import ReceivingSettings
from spanloom.core.document import Document
from spanloom.core.errors import SpanloomError
from spanloom.core.model.trajectory import Status
from spanloom.demo.recording import load_recording, refresh, send_requests
from spanloom.logs import configure_logging
from spanloom.process.page import open_page
from spanloom.process.wiring import Service
from spanloom.terminal.output import is_for_people, make_console
from spanloom.terminal.render import render_trajectory
from spanloom.terminal.reports import page_url, print_addresses, print_metrics

if TYPE_CHECKING:
    from rich.console import Console

    from spanloom.config.settings import Settings

SETTLE_S = 60.0
_POLL_S = 0.05


class DemoError(SpanloomError):
    """The demonstration could not be completed."""


class Sent(NamedTuple):
    """A run that the service has acknowledged."""

    trace_id: str
    at: float
    """When the last request was acknowledged, on the monotonic clock."""


_ENDED = (
    "\nEnded, because this is not a terminal: these addresses no longer answer. In a terminal the "
    "demo keeps running."
)


@click.command(
    "demo",
    cls=SettingsCommand,
    sections=(NetworkSettings, ReceivingSettings, ProcessSettings),
    defaults={"otlp_grpc_port": 0, "otlp_http_port": 0, "api_port": 0, "log_level": "warning"},
    examples=(
        "spanloom demo",
        "spanloom demo --live",
        "spanloom demo > demo.txt",
        "spanloom demo --api-port 8080 --open",
    ),
)
@click.option("--live", is_flag=True, help="Run LangGraph agents now instead of the recording.")
@click.option("--exit", "ends", is_flag=True, help="End after printing instead of staying up.")
@click.option("--open", "opens", is_flag=True, help="Open the run's page in the browser.")
def demo_command(settings: Settings, live: bool, ends: bool, opens: bool) -> None:
    """Show a real agent run arrive over OTLP and come out as a trajectory.

    Starts the whole service in a temporary directory on free ports, sends it a recorded run of
    several agents over gRPC as their SDK did, prints the trajectory and its metrics, and keeps
    running until Ctrl-C; in a pipe or a script it ends by itself. Nothing is kept, and nothing
    leaves the machine.
    """
    run_live = _load_live() if live else None
    console = make_console(sys.stdout)
    interruption = Interruption()
    with TemporaryDirectory(prefix="spanloom-demo-") as folder:
        own = {"data_dir": Path(folder), "store_url": ""}  # never the user's own data
        settings = settings.model_copy(update=own)
        configure_logging(settings.log_level, settings.log_format)
        console.print(Text("Starting the service in a temporary directory …", "dim"))
        with Service(settings) as service:
            target = service.addresses["otlp_grpc"]
            sent = _run_live(run_live, target, console) if run_live else _replay(target, console)
            document = _await(service.addresses["api"], sent, interruption)
            if document is None:
                return
            _show(document, sent, service.addresses, console)
            if opens:
                open_page(page_url(document["id"], service.addresses["api"]))
            if ends:
                return
            if not is_for_people():  # no user can press Ctrl-C
                console.print(Text(_ENDED, "dim"))
                return
            console.print(Text("\nUp until Ctrl-C.", "dim"))
            service.wait(interruption)


def _replay(target: str, console: Console) -> Sent:
    run = refresh(load_recording(), time.time_ns(), secrets.token_bytes)
    console.print(Text.assemble((run.title, "bold"), (f"\n{run.emitted_by}", "dim")))
    with _progress(console) as progress:
        for _ in progress.track(
            send_requests(target.removeprefix("http://"), run.requests),
            total=len(run.requests),
            description="OTLP/gRPC requests acknowledged",
        ):
            time.sleep(0.08)  # slow enough to see the run arrive in parts, as it did
    sent = Sent(run.trace_id, time.monotonic())
    summary = f"{run.span_count} spans in {len(run.requests)} requests acknowledged by {target}"
    console.print(Text(summary, "dim"))
    return sent


def _run_live(run_live: Any, target: str, console: Console) -> Sent:
    console.print(Text("LangGraph agents at work, watched by OpenInference …", "bold"))
    trace_id = run_live(target)
    console.print(Text(f"done; their exporter sent it all to {target}", "dim"))
    return Sent(trace_id, time.monotonic())


def _load_live() -> Any:
    try:
        return import_module("spanloom.demo.live").run_live
    except ModuleNotFoundError as error:
        raise DemoError(
            f"--live needs LangGraph and OpenInference, and {error.name} is missing: "
            "pip install 'spanloom[demo]'"
        ) from error


def _await(api: str, sent: Sent, interrupted: Interruption) -> dict[str, Any] | None:
    """Return the document once it is settled; ``None`` if the user interrupts before."""
    with httpx.Client(base_url=api, trust_env=False) as client:
        while time.monotonic() < sent.at + SETTLE_S:
            response = client.get(f"/v1/trajectories/{sent.trace_id}")
            if response.status_code == httpx.codes.OK:
                document: dict[str, Any] = response.json()
                if Document(document).extraction.status_text != Status.LIVE:
                    return document
            if interrupted.wait(_POLL_S):
                return None
    raise DemoError(f"trace {sent.trace_id} did not become a trajectory within {SETTLE_S:g} s")


def _show(
    document: dict[str, Any], sent: Sent, addresses: dict[str, str], console: Console
) -> None:
    waited = time.monotonic() - sent.at
    console.print(
        Text(f"trajectory settled (complete) {waited:.1f} s after the last request\n", "dim")
    )
    render_trajectory(document, console)
    print_metrics(document, console)
    print_addresses(document["id"], addresses, console)


def _progress(console: Console) -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
