"""``spanloom delete``: deletes traces permanently."""

from __future__ import annotations

import getpass
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING, NamedTuple

import click
from click.core import ParameterSource

from spanloom.cli.arguments import to_trace_id
from spanloom.cli.client import client_option, to_milliseconds
from spanloom.cli.confirming import is_confirmed
from spanloom.cli.options import SettingsCommand
from spanloom.config.process import ProcessSettings
from spanloom.config.store import StoreSettings
from spanloom.core.model.access import Reach
from spanloom.core.model.upkeep import DeletionScope, new_deletion
from spanloom.core.ports.upkeep import Extent
from spanloom.core.showing.values import counted
from spanloom.logs import configure_logging
from spanloom.process.datadir import own_store
from spanloom.storage.store import open_store
from spanloom.storage.upkeep.store import open_upkeep

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanloom.client.client import Client
    from spanloom.config.settings import Settings

    Act = Callable[[bool], Extent]
    """Counts the traces and spans to delete if the argument is true, otherwise deletes them."""

_NS_PER_MS = 1_000_000


class Conditions(NamedTuple):
    """The conditions from the options; ``before`` is in milliseconds since the epoch."""

    trace_id: str | None = None
    project: str | None = None
    conversation: str | None = None
    before: int | None = None


@click.command(
    "delete",
    cls=SettingsCommand,
    sections=(StoreSettings, ProcessSettings),
    examples=(
        "spanloom delete --trace 4bf92f3577b34da6a3ce929d0e0e4736",
        "spanloom delete --project travel --before 90d --dry-run",
        "spanloom delete --conversation trip-to-shanghai --yes",
    ),
)
@click.option("--trace", "trace_id", metavar="ID", callback=to_trace_id, help="This trace.")
@click.option("--project", metavar="NAME", help="Only traces of this project.")
@click.option("--conversation", metavar="ID", help="Only traces of this conversation.")
@click.option(
    "--before",
    metavar="WHEN",
    callback=to_milliseconds,
    help="Only traces that started before: 30m, 2h or 7d ago, yesterday, a date, a time.",
)
@click.option("--dry-run", is_flag=True, help="Only print how much would be deleted.")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@client_option
@click.pass_context
def delete_command(
    ctx: click.Context,
    /,
    *,
    settings: Settings,
    client: Client,
    trace_id: str | None,
    project: str | None,
    conversation: str | None,
    before: int | None,
    dry_run: bool,
    yes: bool,
) -> None:
    """Delete the traces that meet every condition, and all data about them.

    Prints their number and asks for confirmation. No query returns them from then on; spans of them
    that arrive later are deleted too (--deletion-days of the keeper). A running service deletes
    them; without one the command does.
    """
    configure_logging(settings.log_level, settings.log_format)
    conditions = Conditions(trace_id, project, conversation, before)
    if conditions == Conditions():
        raise click.UsageError("name what to delete: --trace, --project, --conversation, --before")
    is_named = ctx.get_parameter_source("api_url") is not ParameterSource.DEFAULT
    with ExitStack() as stack:
        if is_named or not own_store(settings, stack):
            act = _by_service(client, conditions)
        else:
            act = _by_hand(settings, conditions, stack)
        extent = act(True)
        click.echo(f"{_worded(extent)} {'would be' if dry_run else 'will be'} deleted")
        if not dry_run and is_confirmed(yes=yes):
            click.echo(f"{_worded(act(False))} deleted")


def _worded(extent: Extent) -> str:
    return f"{counted(extent.traces, 'trace')} of {counted(extent.spans, 'span')}"


def _by_service(client: Client, conditions: Conditions) -> Act:
    def act(dry_run: bool) -> Extent:
        answer = client.delete(
            trace_id=conditions.trace_id,
            project=conditions.project,
            conversation=conditions.conversation,
            before=conditions.before,
            dry_run=dry_run,
        )
        return Extent(answer.traces, answer.spans)

    return act


def _by_hand(settings: Settings, conditions: Conditions, stack: ExitStack) -> Act:
    """Delete in a store that this command owns, and remove the rows at once."""
    before_ns = None if conditions.before is None else conditions.before * _NS_PER_MS
    reach = Reach.ALL.narrowed(conditions.project)
    scope = DeletionScope(reach, conditions.trace_id, conditions.conversation, before_ns)
    store = stack.enter_context(closing(open_store(settings.resolved_store_url)))
    upkeep = stack.enter_context(closing(open_upkeep(settings.resolved_store_url)))

    def act(dry_run: bool) -> Extent:
        deletion = new_deletion(scope, getpass.getuser(), store.deletions.now_ns())
        if dry_run:
            return store.deletions.extent_of(scope, deletion.until_seq)
        done = store.deletions.delete(deletion)
        upkeep.remove_deleted(0)
        return Extent(done.traces, done.spans)

    return act
