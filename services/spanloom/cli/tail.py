"""``spanloom tail``: runs as they finish."""

from __future__ import annotations

import sys
from time import sleep
from typing import TYPE_CHECKING

import click

from spanloom.cli.client import LOOK_S, client_option
from spanloom.cli.options import TeachingCommand
from spanloom.core.model.trajectory import Status
from spanloom.terminal.output import make_console, write_json
from spanloom.terminal.run_line import print_run

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanloom.client.client import Client
    from spanloom.client.models import TrajectorySummary

RUNS_AT_ONCE = 500
"""Of so many of the newest runs those that are new or have changed are found."""


@click.command(
    "tail",
    cls=TeachingCommand,
    examples=("spanloom tail", "spanloom tail --errors", "spanloom tail --jsonl | jq -r .trace_id"),
)
@click.option("--project", metavar="NAME", help="Only of this project.")
@click.option("--agent", metavar="NAME", help="Only runs in which this agent took part.")
@click.option("--errors", is_flag=True, help="Only those that failed.")
@click.option("--limit", type=click.IntRange(1), help="End after so many runs.")
@click.option("--jsonl", "--json", "as_json", is_flag=True, help="One JSON object a line.")
@client_option
def tail_command(
    *,
    project: str | None,
    agent: str | None,
    errors: bool,
    limit: int | None,
    as_json: bool,
    client: Client,
) -> None:
    """Follow runs as they finish, one line each, until Ctrl-C.

    A run is printed once its trajectory has settled, and again if late spans change it. Those
    that were there before are not printed: `spanloom list` shows them.
    """
    console = make_console(sys.stdout)
    runs = _follow(client, project, agent, has_error=True if errors else None)
    for number, run in enumerate(runs, 1):
        if as_json:
            write_json(run.model_dump_json().encode(), sys.stdout, indent=False)
            sys.stdout.flush()
        else:
            print_run(run.model_dump(mode="json"), console)
            sys.stdout.flush()
        if number == limit:
            return


def _follow(
    client: Client, project: str | None, agent: str | None, *, has_error: bool | None
) -> Iterator[TrajectorySummary]:
    """Yield each run when it has settled, oldest first; what is there at the start is known."""
    known: dict[str, int] | None = None
    while True:
        found = list(
            client.trajectories(
                limit=RUNS_AT_ONCE,
                project=project,
                agent_name=agent,
                has_error=has_error,
                is_duplicate=False,
                has_steps=True,
            )
        )
        finished = {f"{r.project} {r.trace_id}": r for r in found if r.status is not Status.LIVE}
        if known is not None:
            for place, run in reversed(finished.items()):
                if known.get(place) != run.version:
                    yield run
        known = {place: run.version for place, run in finished.items()}
        sleep(LOOK_S)
