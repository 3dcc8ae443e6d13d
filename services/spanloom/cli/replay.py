"""``spanloom replay``: extracts stored traces again, after a dialect changed."""

from __future__ import annotations

import sys
import time
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, NamedTuple

import click
from click.core import ParameterSource
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from spanloom.cli.client import client_option, time_options
from spanloom.cli.options import SettingsCommand
from spanloom.config.extracting import BuildingSettings
from spanloom.config.process import ProcessSettings
from spanloom.config.store import StoreSettings
from spanloom.core.extract import EXTRACTOR_VERSION
from spanloom.core.model.access import Reach
from spanloom.core.model.upkeep import Selection
from spanloom.core.showing.values import counted
from spanloom.extractor.replay import Replayer
from spanloom.extractor.watch import Watch
from spanloom.logs import configure_logging
from spanloom.metrics import Metrics
from spanloom.process.datadir import own_store
from spanloom.process.options import builder_of
from spanloom.replays import request_replay
from spanloom.storage.store import open_store
from spanloom.terminal.output import make_console

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanloom.client.client import Client
    from spanloom.config.settings import Settings
    from spanloom.core.model import upkeep as model

_POLL_S = 0.5
_STOP_S = 1.0
_NS_PER_MS = 1_000_000


class ReplayState(NamedTuple):
    """The progress of a replay, run by a service or by this command."""

    total: int
    done: int
    written: int
    failed: int


class Filters(NamedTuple):
    """The filters from the options; times are in milliseconds since the epoch."""

    project: str | None
    since: int | None
    until: int | None
    dialect: str | None
    outdated: bool


@click.command(
    "replay",
    cls=SettingsCommand,
    sections=(StoreSettings, BuildingSettings, ProcessSettings),
    examples=(
        "spanloom replay",
        "spanloom replay --outdated",
        "spanloom replay --project travel --since 7d",
        "spanloom replay --dialect openinference",
        "spanloom replay --api-url http://traces.internal:8080",
    ),
)
@click.option("--project", metavar="NAME", help="Only traces of this project.")
@time_options("Only runs that started")
@click.option("--dialect", metavar="ID", help="Only traces with spans of this dialect.")
@click.option(
    "--outdated", is_flag=True, help="Only trajectories that another version of Spanloom extracted."
)
@client_option
@click.pass_context
def replay_command(
    ctx: click.Context,
    /,
    settings: Settings,
    client: Client,
    project: str | None,
    since: int | None,
    until: int | None,
    dialect: str | None,
    outdated: bool,
) -> None:
    """Build stored trajectories again from their spans: all, or those that pass every filter.

    An equal result changes nothing, a different one becomes a new version. A running service does
    it between live work, and continues if this command is stopped; without a service the command
    does it. If it is stopped or killed, run it again to continue.
    """
    configure_logging(settings.log_level, settings.log_format)
    filters = Filters(project, since, until, dialect, outdated)
    is_named = ctx.get_parameter_source("api_url") is not ParameterSource.DEFAULT
    with _updates(settings, filters, client, through_service=is_named) as updates:
        last = _watch(updates)
    click.echo(
        f"{counted(last.done, 'trace')} replayed: {last.written:,} changed, {last.failed:,} failed"
    )


@contextmanager
def _updates(
    settings: Settings, filters: Filters, client: Client, *, through_service: bool
) -> Iterator[Iterator[ReplayState]]:
    """Yield an iterator over the states of a replay, run by the store's owner or this process."""
    with ExitStack() as stack:
        if not through_service:
            through_service = not own_store(settings, stack)
        if through_service:
            yield _ask_service(client, filters)
            return
        store = open_store(settings.resolved_store_url)
        stack.callback(store.close)
        replay = request_replay(store.replays, _selection(filters), time.time_ns())
        metrics = Metrics()
        watch = Watch()
        watch.start()
        stack.callback(watch.stop, _STOP_S)
        builder = builder_of(settings, store, metrics, watch)
        stack.callback(builder.close)
        yield _work_off(Replayer(store, metrics, time.monotonic_ns, builder), replay)


def _ask_service(client: Client, filters: Filters) -> Iterator[ReplayState]:
    replay = client.request_replay(**filters._asdict())
    while True:
        yield ReplayState(replay.total, replay.done, replay.written, replay.failed)
        if replay.is_finished:
            return
        time.sleep(_POLL_S)
        replay = client.replay(replay.id)


def _work_off(replayer: Replayer, replay: model.Replay) -> Iterator[ReplayState]:
    while True:
        yield ReplayState(replay.total, replay.done, replay.written, replay.failed)
        if replay.is_finished:
            return
        replay = replayer.go_on(replay)


def _selection(filters: Filters) -> Selection:
    start_ns, until_ns = (
        None if at_ms is None else at_ms * _NS_PER_MS for at_ms in (filters.since, filters.until)
    )
    version = EXTRACTOR_VERSION if filters.outdated else None
    reach = Reach.ALL.narrowed(filters.project)
    return Selection(reach, start_ns, until_ns, filters.dialect, version)


def _watch(updates: Iterator[ReplayState]) -> ReplayState:
    """Show the progress on a terminal; return the final state."""
    console = make_console(sys.stderr)
    columns = (
        TextColumn("replaying"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[written]:,} changed"),
    )
    last = ReplayState(0, 0, 0, 0)
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as progress:
        task = progress.add_task("", total=None, written=0)
        for last in updates:
            progress.update(
                task, total=max(last.total, last.done), completed=last.done, written=last.written
            )
    return last
