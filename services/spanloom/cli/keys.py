"""``spanloom keys``: creates, lists and revokes the API keys of a service."""

from __future__ import annotations

import re
import sys
import time
from contextlib import closing
from typing import TYPE_CHECKING

import click

from spanloom.access.keys import KeyAdministration
from spanloom.cli.options import SettingsCommand, TeachingGroup
from spanloom.cli.output import give_rows, rows_output
from spanloom.config.store import StoreSettings
from spanloom.core.model.access import ALL_PROJECTS, Scope
from spanloom.core.model.notation import parse_instant
from spanloom.storage.access import open_key_store
from spanloom.terminal.tables import key_as_json, render_keys

if TYPE_CHECKING:
    from spanloom.cli.output import Form
    from spanloom.config.settings import Settings

_UNITS_NS = {"m": 60 * 10**9, "h": 3_600 * 10**9, "d": 86_400 * 10**9}


def to_scopes(
    _ctx: click.Context, _param: click.Parameter, text: str | None
) -> frozenset[Scope] | None:
    """Parse scopes separated by commas, for example ``ingest,read``."""
    if text is None:
        return None
    names = [name.strip() for name in text.split(",") if name.strip()]
    if unknown := [name for name in names if name not in set(Scope)]:
        raise click.BadParameter(f"{unknown[0]!r} is none of {', '.join(Scope)}")
    return frozenset(map(Scope, names))


def to_expiry(_ctx: click.Context, _param: click.Parameter, text: str | None) -> int | None:
    """Return in ns the time of ``12h`` or ``90d`` from now, a date or RFC 3339; ``None``: never."""
    if text is None:
        return None
    if ahead := re.fullmatch(r"(\d{1,6})([mhd])", text):
        return time.time_ns() + int(ahead[1]) * _UNITS_NS[ahead[2]]
    moment = f"{text}T00:00:00Z" if re.fullmatch(r"\d{4}-\d\d-\d\d", text) else text
    try:
        return parse_instant(moment)
    except ValueError as error:
        raise click.BadParameter(f"{text!r}: write 12h, 90d or a date; or: {error}") from None


@click.group(
    "keys",
    cls=TeachingGroup,
    invoke_without_command=True,
    examples=(
        "spanloom keys create",
        "spanloom keys create --project support --scopes ingest",
        "spanloom keys create --project support --scopes read,annotate --expires 90d",
        "spanloom keys list",
        "spanloom keys revoke 0f3a9c5b7d21",
    ),
)
@click.pass_context
def keys_group(ctx: click.Context) -> None:
    """Create, list and revoke the keys of a service.

    They are stored next to the store: a running service applies a change within a second. As soon
    as there is a key, every request needs one, also on this machine.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


@keys_group.command("create", cls=SettingsCommand, sections=(StoreSettings,))
@click.option("--project", metavar="NAME", help="The project that the key may access.")
@click.option("--all-projects", is_flag=True, help="Instead of --project: access to all projects.")
@click.option(
    "--scopes",
    metavar="LIST",
    callback=to_scopes,
    help=f"Scopes of the key, separated by commas: {', '.join(Scope)}.",
)
@click.option(
    "--expires", metavar="WHEN", callback=to_expiry, help="12h or 90d from now, a date; or never."
)
def create_command(
    project: str | None,
    all_projects: bool,
    scopes: frozenset[Scope] | None,
    expires: int | None,
    settings: Settings,
) -> None:
    """Create a key and print it once: only its SHA-256 is stored.

    In a pipe only the key is printed. The first key, without --project, --all-projects and
    --scopes, is for all projects and has every scope: use it to create the others.
    """
    is_bare = project is None and not all_projects and scopes is None
    if not is_bare:
        _refuse_half(project, scopes, all_projects=all_projects)
    with closing(open_key_store(settings.resolved_store_url, settings.data_dir)) as store:
        administration = KeyAdministration(store)
        is_first = not administration.list()
        if is_bare and not is_first:
            raise click.UsageError(_MISSING)
        allowed = frozenset(Scope) if scopes is None else scopes
        key = administration.create(project or ALL_PROJECTS, allowed, expires)
    click.echo(key.text)
    if sys.stdout.isatty():
        click.echo("It is not shown again; send it as `Authorization: Bearer KEY`.", err=True)
    if is_first:
        click.echo("This is the first key: from now on every request needs one.", err=True)


_MISSING = (
    f"name the key's projects and scopes: --project NAME or --all-projects, and --scopes with some "
    f"of {','.join(Scope)}"
)


def _refuse_half(
    project: str | None, scopes: frozenset[Scope] | None, *, all_projects: bool
) -> None:
    """Raise ``click.UsageError`` unless a key's projects and its scopes are both given."""
    if all_projects and project is not None:
        raise click.UsageError("name the project with --project, or use --all-projects")
    if scopes is None or not (all_projects or project):
        raise click.UsageError(_MISSING)


@keys_group.command("list", cls=SettingsCommand, sections=(StoreSettings,))
@rows_output
def list_command(form: Form, settings: Settings) -> None:
    """List keys, newest first: id, project, scopes, and when each was made and used."""
    with closing(open_key_store(settings.resolved_store_url, settings.data_dir)) as store:
        keys = KeyAdministration(store).list()
    give_rows(
        map(key_as_json, keys),
        lambda _, console: console.print(render_keys(keys, time.time_ns())),
        form=form,
    )


@keys_group.command("revoke", cls=SettingsCommand, sections=(StoreSettings,))
@click.argument("key_id", metavar="ID")
def revoke_command(key_id: str, settings: Settings) -> None:
    """Revoke a key permanently; `spanloom keys list` shows its ID."""
    with closing(open_key_store(settings.resolved_store_url, settings.data_dir)) as store:
        if KeyAdministration(store).revoke(key_id) is None:
            raise click.ClickException(
                f"there is no key {key_id!r}; `spanloom keys list` shows all"
            )
    click.echo(f"The key {key_id} is revoked.")
