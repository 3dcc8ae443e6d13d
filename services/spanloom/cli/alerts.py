"""``spanloom alerts``: creates, tries and lists alerts, and lists their events."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
import orjson

from spanloom.cli.client import annotator_option, client_option, project_option
from spanloom.cli.eval_files import load_written
from spanloom.cli.options import TeachingCommand, TeachingGroup
from spanloom.cli.output import (
    Form,
    columns_option,
    document_output,
    give_document,
    give_rows,
    rows_output,
)
from spanloom.core.records.alert_members import ALERT_MEMBERS, CONDITION_MEMBERS
from spanloom.core.showing.values import printable
from spanloom.terminal.alerts import render_alert, render_alerts, render_events, render_tried
from spanloom.terminal.output import make_console, write_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from spanloom.client.client import Client
    from spanloom.core.records.alert import AlertEventItem

Command = TypeVar("Command", bound="Callable[..., None]")
_CHANNELS = ("webhook", "slack", "alertmanager")
_QUESTION = (
    click.option("--where", metavar="QUERY", help="Condition on runs; with --metric its filter."),
    click.option(
        "--metric", metavar="METRIC", help="A metric, instead of a condition on runs: rate(error)."
    ),
    click.option("--of", type=click.Choice(["runs", "steps"]), help="Subject of the metric."),
    click.option("--by", metavar="FIELDS", help="Fields whose values make groups of a metric."),
    click.option(
        "--window", metavar="TIME", help="Time window; runs that began in it count: 15m, 1h."
    ),
    click.option("--above", type=float, metavar="N", help="It fires while the metric is larger."),
    click.option("--below", type=float, metavar="N", help="It fires while the metric is smaller."),
    click.option(
        "--at-least", type=int, metavar="N", help="With fewer runs or steps it does not fire."
    ),
    click.option(
        "--file",
        type=click.Path(path_type=Path, exists=True, dir_okay=False),
        help="A definition in YAML or JSON, which the options complete.",
    ),
)


def _question(command: Command) -> Command:
    for option in reversed(_QUESTION):
        command = option(command)
    return command


def _defined(file: Path | None, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the definition in a file, in which options replace some members.

    Raises ``FileError`` and ``click.UsageError``.
    """
    defined, _ = ({}, None) if file is None else load_written(file)
    if not isinstance(defined, dict):
        raise click.UsageError(f"{printable(str(file))}: it has no members such as where")
    named = _set_members(options, CONDITION_MEMBERS)
    if not defined and not named:
        raise click.UsageError("name a condition: --where QUERY, --metric METRIC or --file FILE")
    return {**defined, **named}


def _set_members(values: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """Return the values of the members that are set, out of options or of an answer."""
    return {name: values[name] for name in names if values.get(name) is not None}


@click.group(
    "alerts",
    cls=TeachingGroup,
    examples=(
        "spanloom alerts list",
        "spanloom alerts test --where 'has_error and cost > 1' --days 30",
        "spanloom alerts put costly --where 'cost > 1' --webhook https://hooks.example.com/agents",
        "spanloom alerts put errors --metric 'rate(error)' --window 15m --above 0.2 --at-least 20",
        "spanloom alerts events costly --state firing --current",
        "spanloom alerts delete costly",
    ),
)
def alerts_group() -> None:
    """Watch arriving runs: conditions on runs, and metrics with thresholds.

    Webhooks, Slack and Alertmanager are notified when an alert fires, and again when it is
    withdrawn because a late span makes it untrue.
    """


@alerts_group.command("list", cls=TeachingCommand)
@project_option
@columns_option
@rows_output
@client_option
def list_command(
    *, project: str | None, columns: Sequence[str], form: Form, client: Client
) -> None:
    """List the alerts of a project by name, each with its number of firing runs or groups."""
    rows = (one.model_dump(mode="json") for one in client.alerts(project=project))
    give_rows(rows, render_alerts, form=form, columns=columns)


@alerts_group.command("show", cls=TeachingCommand)
@click.argument("name")
@project_option
@document_output
@client_option
def show_command(*, name: str, project: str | None, form: Form, client: Client) -> None:
    """Show an alert: its condition and its channels."""
    _give(client.alert(name, project=project).model_dump(mode="json"), form)


@alerts_group.command("put", cls=TeachingCommand)
@click.argument("name")
@_question
@click.option(
    "--webhook", multiple=True, metavar="URL", help="Webhook notified in JSON; repeatable."
)
@click.option("--slack", multiple=True, metavar="URL", help="An incoming webhook of Slack.")
@click.option("--alertmanager", multiple=True, metavar="URL", help="Its /api/v2/alerts.")
@click.option(
    "--secret-file",
    metavar="PATH",
    help="File on the service's machine with the secret that signs these notifications.",
)
@click.option("--severity", metavar="WORD", help="Severity, passed on to receivers.")
@click.option(
    "--repeat-after", metavar="TIME", help="Time after which a firing metric is sent again: 4h."
)
@click.option("--paused/--not-paused", default=None, help="Nothing fires.")
@project_option
@annotator_option
@document_output
@client_option
def put_command(
    *,
    name: str,
    file: Path | None,
    project: str | None,
    annotator: str | None,
    form: Form,
    client: Client,
    **options: Any,
) -> None:
    """Make or replace an alert, and show it.

    A changed condition makes a new version, which fires again.
    """
    defined = _defined(file, options)
    defined |= {**_set_members(options, ALERT_MEMBERS), **_channels(options)}
    alert = client.put_alert(name, defined, project=project, annotator=annotator)
    _give(alert.model_dump(mode="json"), form)


@alerts_group.command("test", cls=TeachingCommand)
@click.argument("name", required=False)
@_question
@click.option(
    "--days",
    type=click.IntRange(1, 90),
    default=7,
    show_default=True,
    help="Number of days to look back.",
)
@project_option
@document_output
@client_option
def test_command(
    *,
    name: str | None,
    file: Path | None,
    days: int,
    project: str | None,
    form: Form,
    client: Client,
    **options: Any,
) -> None:
    """Show how often an alert would have fired in the last days, with its runs.

    Tests a stored alert, by NAME, or the condition in the options. Nothing is stored or sent.
    """
    if name is None:
        defined = _defined(file, options)
    else:
        stored = client.alert(name, project=project).model_dump(mode="json")
        defined = _set_members(stored, CONDITION_MEMBERS)
    trial = dict(client.try_alert(defined, days=days, project=project))
    if form is Form.TABLE:
        render_tried(trial, make_console(sys.stdout), _now_ms())
    else:
        write_json(orjson.dumps(trial), sys.stdout, indent=form is Form.JSON)


@alerts_group.command("events", cls=TeachingCommand)
@click.argument("name")
@click.option(
    "--state", type=click.Choice(["firing", "resolved", "withdrawn"]), help="Only in this state."
)
@click.option("--current", is_flag=True, help="Only the last event of each run or group.")
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=50,
    show_default=True,
    help="Maximum number of events.",
)
@project_option
@columns_option
@rows_output
@client_option
def events_command(
    *,
    name: str,
    state: str | None,
    current: bool,
    limit: int,
    project: str | None,
    columns: Sequence[str],
    form: Form,
    client: Client,
) -> None:
    """List the events of an alert, newest first: what fired and what was withdrawn."""
    filters: dict[str, Any] = {"state": state, "current": current, "project": project}
    rows = (one.model_dump(mode="json") for one in _events(client, name, limit, filters))

    def draw(found: Any, console: Any) -> None:
        render_events(found, console, _now_ms())

    give_rows(rows, draw, form=form, columns=columns)


@alerts_group.command("delete", cls=TeachingCommand)
@click.argument("name")
@project_option
@annotator_option
@client_option
def delete_command(
    *, name: str, project: str | None, annotator: str | None, client: Client
) -> None:
    """Delete an alert: it stops firing."""
    client.delete_alert(name, project=project, annotator=annotator)
    click.echo(f"deleted {printable(name)}")


def _channels(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the channels in the options.

    Empty if there are none, so that a file's channels stay.
    """
    secret = {"secret_file": options["secret_file"]} if options["secret_file"] else {}
    channels = [{"kind": kind, "url": url, **secret} for kind in _CHANNELS for url in options[kind]]
    return {"channels": channels} if channels else {}


def _events(
    client: Client, name: str, limit: int, filters: dict[str, Any]
) -> Iterator[AlertEventItem]:
    cursor: str | None = None
    while limit > 0:
        page = client.alert_events(name, limit=min(limit, 200), cursor=cursor, **filters)
        yield from page.items
        limit, cursor = limit - len(page.items), page.next_cursor
        if cursor is None:
            return


def _give(found: dict[str, Any], form: Form) -> None:
    give_document(found, render_alert, form=form)


def _now_ms() -> int:
    return time.time_ns() // 1_000_000
