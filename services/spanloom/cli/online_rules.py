"""``spanloom online-rules``: lists, stores, pauses and deletes rules that judge new runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from spanloom.cli.client import annotator_option, client_option, project_option, to_milliseconds
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
from spanloom.core.records.online_rule import BACKFILL_PROGRESS, RULE_MEMBERS, OnlineRuleItem
from spanloom.core.showing.values import printable
from spanloom.terminal.online_rules import render_online_rule, render_online_rules

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from spanloom.client.client import Client

Command = TypeVar("Command", bound="Callable[..., None]")
_ADDED = OnlineRuleItem.model_fields.keys() - {*RULE_MEMBERS} | {*BACKFILL_PROGRESS}
"""The members that only answers have."""


@click.group(
    "online-rules",
    cls=TeachingGroup,
    examples=(
        "spanloom online-rules put limits rule.yaml --sample 0.1",
        "spanloom online-rules put limits --where 'outcome = failed'",
        "spanloom online-rules list",
        "spanloom online-rules show limits",
        "spanloom online-rules pause limits",
        "spanloom online-rules resume limits",
        "spanloom online-rules backfill limits --since 7d",
        "spanloom online-rules put limits rule.yaml --rescore",
        "spanloom online-rules delete limits",
    ),
)
def online_rules_group() -> None:
    """Judge runs as they arrive, by rules that the service stores.

    Results of evaluators become scores. A rule judges a run once, and again if a late span changes
    the contents that they read.
    """


@online_rules_group.command("list", cls=TeachingCommand)
@project_option
@columns_option
@rows_output
@client_option
def list_command(
    *, project: str | None, columns: Sequence[str], form: Form, client: Client
) -> None:
    """List the online rules of a project with their progress."""
    rows = (one.model_dump(mode="json") for one in client.online_rules(project=project))
    give_rows(rows, render_online_rules, form=form, columns=columns)


@online_rules_group.command("show", cls=TeachingCommand)
@click.argument("name")
@project_option
@document_output
@client_option
def show_command(*, name: str, project: str | None, form: Form, client: Client) -> None:
    """Show a rule: its runs, its evaluators and its progress."""
    rule = client.online_rule(name, project=project).model_dump(mode="json")
    give_document(rule, render_online_rule, form=form)


@online_rules_group.command("put", cls=TeachingCommand)
@click.argument("name")
@click.argument("file", required=False, type=click.Path(path_type=Path))
@click.option("--where", metavar="QUERY", help="Query for runs; overrides the file.")
@click.option(
    "--sample", type=click.FloatRange(0, 1), help="The share of runs; overrides the file."
)
@click.option("--rescore", is_flag=True, help="Judge again the runs that the rule has judged.")
@project_option
@annotator_option
@client_option
def put_command(
    *,
    name: str,
    file: Path | None,
    where: str | None,
    sample: float | None,
    rescore: bool,
    project: str | None,
    annotator: str | None,
    client: Client,
) -> None:
    """Create a rule, or change only the given members.

    FILE is YAML or JSON with the members of a rule: evaluators, where, sample, unit, when, delay_s,
    budget, backfill, paused. `show --output json` writes such a file.
    """
    options = {"where": where, "sample": sample}
    options = {option: value for option, value in options.items() if value is not None}
    rule = {**(_read(file) if file else {}), **options}
    stored = client.put_online_rule(
        name, rule, rescore=rescore, project=project, annotator=annotator
    )
    click.echo(f"{printable(name)}@{stored.version}")


@online_rules_group.command("pause", cls=TeachingCommand)
@click.argument("name")
@project_option
@annotator_option
@client_option
def pause_command(*, name: str, project: str | None, annotator: str | None, client: Client) -> None:
    """Pause a rule. Runs that arrive meanwhile wait."""
    client.put_online_rule(name, {"paused": True}, project=project, annotator=annotator)
    click.echo(f"{printable(name)} is paused.")


@online_rules_group.command("resume", cls=TeachingCommand)
@click.argument("name")
@project_option
@annotator_option
@client_option
def resume_command(
    *, name: str, project: str | None, annotator: str | None, client: Client
) -> None:
    """Resume a rule, with the runs that have waited."""
    client.put_online_rule(name, {"paused": False}, project=project, annotator=annotator)
    click.echo(f"{printable(name)} judges again.")


@online_rules_group.command("backfill", cls=TeachingCommand)
@click.argument("name")
@click.option(
    "--since",
    metavar="WHEN",
    callback=to_milliseconds,
    help="Started at or after: 2h or 7d ago, a date, a time; by default all.",
)
@click.option(
    "--until", metavar="WHEN", callback=to_milliseconds, help="Started before; by default all."
)
@project_option
@annotator_option
@client_option
def backfill_command(
    *,
    name: str,
    since: int | None,
    until: int | None,
    project: str | None,
    annotator: str | None,
    client: Client,
) -> None:
    """Also judge past runs, with the same sample rate as arriving runs."""
    client.backfill_online_rule(
        name, since=since, until=until, project=project, annotator=annotator
    )
    click.echo(f"{printable(name)} also judges past runs; `show` has the progress.")


@online_rules_group.command("delete", cls=TeachingCommand)
@click.argument("name")
@project_option
@annotator_option
@client_option
def delete_command(
    *, name: str, project: str | None, annotator: str | None, client: Client
) -> None:
    """Delete a rule. Its scores stay."""
    client.delete_online_rule(name, project=project, annotator=annotator)
    click.echo(f"{printable(name)} is deleted.")


def _read(path: Path) -> Mapping[str, Any]:
    """Return the rule in a file; raises ``FileError`` and ``click.UsageError``."""
    value, _ = load_written(path)
    if not isinstance(value, dict):
        raise click.UsageError(f"{printable(str(path))}: it has no members such as evaluators")
    return _writable(value)


def _writable(rule: dict[str, Any]) -> Mapping[str, Any]:  # JSON values
    """Return a rule without the members that the service adds, so that `put` accepts it."""
    writable = {name: value for name, value in rule.items() if name not in _ADDED}
    if isinstance(past := writable.get("backfill"), dict):
        writable["backfill"] = {name: past[name] for name in past if name not in _ADDED}
    return writable
