"""How agents are made to send, on a terminal or in a pipe: every line can be pasted as it is."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.console import Console

    from spanloom.recipes.reading import Framework, Recipe


KEYED = "Where the service has keys, also (`spanloom keys create --project NAME --scopes ingest`)"


def render_frameworks(frameworks: Sequence[Framework], console: Console) -> None:
    """Print the frameworks as a table, then how one is asked for."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("name", no_wrap=True, style="bold")
    table.add_column("framework", no_wrap=True)
    table.add_column("language", no_wrap=True)
    table.add_column("by", ratio=1)
    for one in frameworks:
        ways = ", ".join(recipe.instrumentation for recipe in one.recipes)
        table.add_row(one.name, one.title, one.language, ways)
    console.print(table)
    console.print(f"\n`spanloom instrument {frameworks[0].name}` says what to do for one.")


def render_recipe(framework: Framework, recipe: Recipe, console: Console) -> None:
    """Print one recipe from the installation to the first look, then the other ways."""
    _print(console, _title(framework, recipe))
    _print(console, f"{recipe.line}\n")
    _part(console, "Install", recipe.install)
    if recipe.code:
        _part(console, "Write, before anything that makes agents", recipe.code.strip())
    _part(console, "Export, where the agents run", "\n".join(exports(recipe.variables)))
    for note in filter(None, (recipe.notes, recipe.untried)):
        _print(console, f"{note}\n")
    _part(console, KEYED, "\n".join(exports(recipe.key_variables)))
    _part(console, "Run the agents, then look", "spanloom list\nspanloom show latest")
    _others(framework, recipe, console)


def exports(variables: Mapping[str, str]) -> list[str]:
    """Return the lines of a shell that set the variables."""
    return [f"export {name}={quote(value)}" for name, value in variables.items()]


def _title(framework: Framework, recipe: Recipe) -> Text:
    return Text(f"{framework.title} ({framework.language}) by {recipe.instrumentation}", "bold")


def _part(console: Console, title: str, lines: str) -> None:
    _print(console, Text(f"{title}:", "dim"))
    console.file.write(f"{lines}\n\n")  # rich would make spaces of tabs


def _others(framework: Framework, recipe: Recipe, console: Console) -> None:
    others = [one for one in framework.recipes if one is not recipe]
    if not others:
        return
    if framework.why:
        _print(console, framework.why)
    _print(console, Text("Other ways:", "dim"))
    for one in others:
        _print(console, f"spanloom instrument {one.name}  {one.line}")


def _print(console: Console, text: str | Text) -> None:
    """Print without breaking lines: they are pasted."""
    console.print(text, soft_wrap=True)
