"""Finds saved views by name, and returns their parameters as arguments of the client."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import click

from spanloom.core.model.saved_view import ViewPage
from spanloom.core.query.where.problems import resembling

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from spanloom.client.client import Client
    from spanloom.core.records.saved_view import ViewItem

Command = TypeVar("Command", bound="Callable[..., None]")
PAGES = tuple(map(str, ViewPage))
RUNS, STEPS = str(ViewPage.RUNS), str(ViewPage.STEPS)
_FLAGS = {"any": None, "true": True, "false": False}
"""Values of on/off parameters in a URL → values of the client's filters."""


def page_option(command: Command) -> Command:
    """Add ``--page``, by default the page of runs."""
    return click.option(
        "--page",
        type=click.Choice(PAGES),
        default=PAGES[0],
        show_default=True,
        help="The page to which the view belongs.",
    )(command)


def view_option(command: Command) -> Command:
    """Add ``--view``, for commands that list the items of a page."""
    return click.option(
        "--view",
        metavar="NAME",
        help="Use the query of this view of the page; other options narrow or override it.",
    )(command)


def named(views: Iterable[ViewItem], name: str) -> ViewItem | None:
    """Return the view with this name; ``None`` if there is none."""
    return next((view for view in views if view.name == name), None)


def find_view(client: Client, page: str, name: str, project: str | None) -> ViewItem:
    """Return the view with this name; raises ``click.UsageError`` with similar names."""
    views = client.views(page=page, project=project)
    view = named(views, name)
    if view is None:
        near = resembling(name, [view.name for view in views])
        suggestion = (
            f"; did you mean {near[0]!r}?" if near else f"; `spanloom views list --page {page}`"
        )
        raise click.UsageError(f"there is no view {name!r} of the page {page}{suggestion}")
    return view


def view_parameters(
    client: Client, page: str, name: str | None, project: str | None
) -> dict[str, str]:
    """Return the parameters of a view; none without a name.

    Raises ``click.UsageError`` with the faults of a view that cannot be used.
    """
    if name is None:
        return {}
    view = find_view(client, page, name, project)
    if view.faults:
        why = "; ".join(f"{fault.parameter}: {fault.detail}" for fault in view.faults)
        raise click.UsageError(f"the view {name!r} cannot be used: {why}")
    return dict(view.parameters)


def narrowed(
    filters: Mapping[str, Any], parameters: Mapping[str, str], where: str
) -> dict[str, Any]:
    """Return filters of runs combined with the parameters of a view.

    ``where`` is the name of the parameter that has the view's query. A run has to match both
    queries. A time or a flag on the command line overrides that of the view.
    """
    both = dict(filters)
    both["where"] = together(filters.get("where"), parameters.get(where))
    for name in ("since", "until"):
        both[name] = filters.get(name) or parameters.get(name)
    for name in ("duplicate", "has_steps"):
        if parameters.get(name) in _FLAGS and filters.get(name) is not None:
            both[name] = _FLAGS[parameters[name]]
    return both


def together(one: str | None, other: str | None) -> str | None:
    """Return the conjunction of two queries, or the only one that is given."""
    return f"({one}) and ({other})" if one and other else one or other
