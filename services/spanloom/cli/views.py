"""``spanloom views``: lists, shows, stores and deletes saved views, which a team shares."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import parse_qsl, urlsplit

import click
import orjson

from spanloom.cli.client import client_option, project_option
from spanloom.cli.completing_fields import offer_views
from spanloom.cli.options import TeachingCommand, TeachingGroup
from spanloom.cli.output import Form, columns_option, document_output, give_rows, rows_output
from spanloom.cli.using_views import PAGES, RUNS, find_view, named, page_option
from spanloom.core.model.saved_view import NOT_OF_VIEWS
from spanloom.core.showing.values import printable
from spanloom.terminal.output import make_console, write_json
from spanloom.terminal.views import address_of, render_view, render_views

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from spanloom.client.client import Client

Command = TypeVar("Command", bound="Callable[..., None]")


@click.group(
    "views",
    cls=TeachingGroup,
    examples=(
        "spanloom views list",
        "spanloom views put 'Failures of the week' where='outcome = failed' since=7d",
        "spanloom views put 'Slow calls' --page steps where='type = model' order=-duration",
        "spanloom views put mine --address 'http://127.0.0.1:8080/steps?where=error&since=1d'",
        "spanloom views show 'Slow calls' --page steps",
        "spanloom list --view 'Failures of the week'",
        "spanloom views default 'Failures of the week'",
        "spanloom views delete 'Slow calls' --page steps",
    ),
)
def views_group() -> None:
    """List and change the saved views of a project: queries by name.

    A view is an address of the page: its parameters, as they were typed. `spanloom list --view` and
    `spanloom steps --view` use its query.
    """


def _signed(command: Command) -> Command:
    return click.option(
        "--annotator",
        metavar="NAME",
        help="Name of the person who makes or changes it, not verified.",
    )(command)


@views_group.command("list", cls=TeachingCommand)
@click.option("--page", type=click.Choice(PAGES), help="Only of this page; by default of all.")
@project_option
@columns_option
@rows_output
@client_option
def list_command(
    *,
    page: str | None,
    project: str | None,
    columns: Sequence[str],
    form: Form,
    client: Client,
) -> None:
    """List views by page and name: the query, the owner, and the default of each page."""
    views = client.views(page=page, project=project)
    rows = (view.model_dump(mode="json") for view in views)
    give_rows(rows, render_views, form=form, columns=columns)


@views_group.command("show", cls=TeachingCommand)
@click.argument("name", metavar="NAME", shell_complete=offer_views)
@page_option
@project_option
@document_output
@client_option
def show_command(*, name: str, page: str, project: str | None, form: Form, client: Client) -> None:
    """Print the query of a view, its errors, and its address."""
    item = find_view(client, page, name, project).model_dump(mode="json")
    if form is Form.TABLE:
        render_view(item, make_console(sys.stdout), address_of(client.url, item))
    else:
        write_json(orjson.dumps(item), sys.stdout, indent=form is Form.JSON)


@views_group.command("put", cls=TeachingCommand)
@click.argument("name", metavar="NAME", shell_complete=offer_views)
@click.argument("parameters", metavar="[PARAMETER=VALUE]...", nargs=-1)
@click.option("--address", metavar="URL", help="Parameters of this address, as a browser shows it.")
@page_option
@project_option
@_signed
@client_option
def put_command(
    *,
    name: str,
    parameters: Sequence[str],
    address: str | None,
    page: str,
    project: str | None,
    annotator: str | None,
    client: Client,
) -> None:
    """Store a view under NAME; an existing view of this name is replaced.

    Parameters are those of the page's address: where, order, since, until; for steps also
    run_where. `since=7d` always means the last seven days. The path of an --address determines the
    page.
    """
    values = dict(map(_pair, parameters))
    if address is not None:
        page, of_address = _read_address(address, page)
        values = {**of_address, **values}
    view = named(client.views(page=page, project=project), name)
    if view is None:
        view = client.make_view(name, values, page=page, project=project, annotator=annotator)
    else:
        view = client.change_view(view, parameters=values, annotator=annotator)
    _print_line(f"{name} of the page {page} is stored: {address_of(client.url, view.model_dump())}")


@views_group.command("rename", cls=TeachingCommand)
@click.argument("name", metavar="NAME", shell_complete=offer_views)
@click.argument("new_name", metavar="NEW_NAME")
@page_option
@project_option
@_signed
@client_option
def rename_command(
    *,
    name: str,
    new_name: str,
    page: str,
    project: str | None,
    annotator: str | None,
    client: Client,
) -> None:
    """Rename a view."""
    view = find_view(client, page, name, project)
    client.change_view(view, name=new_name, annotator=annotator)
    _print_line(f"{name} is {new_name} now.")


@views_group.command("default", cls=TeachingCommand)
@click.argument("name", metavar="NAME", shell_complete=offer_views)
@click.option("--off", is_flag=True, help="Unset the default: the page opens without a view.")
@page_option
@project_option
@client_option
def default_command(
    *, name: str, off: bool, page: str, project: str | None, client: Client
) -> None:
    """Make a view the default of its page, used if the address has no query."""
    view = client.set_default_view(find_view(client, page, name, project), default=not off)
    _print_line(f"The page {view.page} opens {'without a view' if off else f'with {name}'}.")


@views_group.command("delete", cls=TeachingCommand)
@click.argument("name", metavar="NAME", shell_complete=offer_views)
@page_option
@project_option
@_signed
@client_option
def delete_command(
    *, name: str, page: str, project: str | None, annotator: str | None, client: Client
) -> None:
    """Delete a view, for everybody who reads the project."""
    client.delete_view(find_view(client, page, name, project), annotator=annotator)
    _print_line(f"{name} is deleted.")


def _pair(text: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not (name and sign and value):
        raise click.BadParameter(f"{text!r}: write PARAMETER=VALUE, such as since=7d")
    return name, value


def _read_address(address: str, page: str) -> tuple[str, Mapping[str, str]]:
    """Return the page that a URL names, by default ``page``, and the parameters in the URL."""
    try:
        parts = urlsplit(address)
    except ValueError as error:
        raise click.BadParameter(f"{address!r}: {error}", param_hint="--address") from None
    last = parts.path.rpartition("/")[2]
    if last and last not in PAGES:
        known = ", ".join(PAGES)
        raise click.BadParameter(f"{last!r} is no page with views: {known}", param_hint="--address")
    parameters = {name: value for name, value in parse_qsl(parts.query) if name not in NOT_OF_VIEWS}
    return last or (RUNS if parts.netloc else page), parameters


def _print_line(text: str) -> None:
    click.echo(printable(text))
