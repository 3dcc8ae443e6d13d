"""Prints saved views: a list as a table, or one view with its URL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from rich.table import Table
from rich.text import Text

from spanloom.core.model.saved_view import ViewPage
from spanloom.core.showing.values import printable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.console import Console

    from spanloom.terminal.runs import Item


def render_views(items: Sequence[Item], console: Console) -> None:
    """Print views by page and name, or how to store one if there are none."""
    if not items:
        console.print("No views. `spanloom views put` stores one, and so does Views on the page.")
        return
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for title in ("page", "name", "owner", "asks"):
        table.add_column(title, no_wrap=title == "page")
    for item in items:
        name = Text(printable(item["name"]), "bold")
        name.append(" (default)" if item["default"] else "", "green")
        table.add_row(item["page"], name, Text(printable(item["owner"])), _parameters(item))
    console.print(table)


def render_view(item: Item, console: Console, address: str) -> None:
    """Print one view: a line for each parameter, its faults, and its URL."""
    title = Text(printable(item["name"]), "bold")
    owner = f", of {printable(item['owner'])}" if item["owner"] else ""
    default = ", the default" if item["default"] else ""
    console.print(title.append(f"  {item['page']}{owner}{default}", "not bold dim"))
    for name, value in item["parameters"].items():
        console.print(Text(f"  {name}  ", "dim").append(printable(value), "default"))
    for line in _faults(item):
        console.print(Text(line, "red"))
    console.print(Text(address, "dim"), soft_wrap=True)


def address_of(url: str, item: Mapping[str, Any]) -> str:
    """Return the URL that opens the page with a view."""
    page = "" if item["page"] == ViewPage.RUNS else item["page"]
    return (
        f"{url.rstrip('/')}/{page}?{urlencode({'project': item['project'], **item['parameters']})}"
    )


def _parameters(item: Item) -> Text:
    text = "\n".join(f"{name}={printable(value)}" for name, value in item["parameters"].items())
    return Text(text).append("".join(f"\n{line}" for line in _faults(item)), "red")


def _faults(item: Item) -> Sequence[str]:
    return [f"{one['parameter']}: {printable(one['detail'])}" for one in item["faults"]]
