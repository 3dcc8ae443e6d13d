"""Writes every recipe of ``spanloom instrument`` as a section of a page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.recipes import read_frameworks
from spanloom.terminal.reports import exports

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from spanloom.recipes import Framework, Recipe

_FENCES = {"Python": "python", "JavaScript": "js", "Go": "go"}


def overview() -> Iterable[tuple[str, ...]]:
    """Yield a row for each framework: name, title, language, instrumentations."""
    for one in read_frameworks():
        ways = ", ".join(f"[{r.instrumentation}](#{_anchor(one, r)})" for r in one.recipes)
        yield f"`{one.name}`", one.title, one.language, ways


def recipes() -> str:
    """Return the sections of all recipes, in Markdown."""
    return "\n".join(line for one in read_frameworks() for line in _framework(one))


def _framework(framework: Framework) -> Iterator[str]:
    for recipe in framework.recipes:
        yield f"## {_title(framework, recipe)}\n"
        yield f"`spanloom instrument {recipe.name}`: {recipe.line}.\n"
        if recipe is framework.recipes[0] and framework.why:
            yield f"{framework.why}\n"
        yield from _recipe(framework, recipe)


def _recipe(framework: Framework, recipe: Recipe) -> Iterator[str]:
    yield _fenced("sh", [recipe.install, *exports(recipe.variables)])
    if recipe.settings:
        yield f"In `{recipe.settings_file}`:\n"
        yield _fenced(_fence_of(recipe), recipe.settings.strip().splitlines())
    if recipe.code:
        yield _fenced(_FENCES[framework.language], recipe.code.strip().splitlines())
    for note in filter(None, (recipe.notes, recipe.untried)):
        yield f"{note}\n"
    if recipe.key_settings:
        yield "Where the service has keys, instead:\n"
        yield _fenced(_fence_of(recipe), recipe.key_settings.strip().splitlines())
    else:
        shown = "; ".join(f"`{line}`" for line in exports(recipe.key_variables))
        yield f"Where the service has keys: {shown}.\n"


def _fence_of(recipe: Recipe) -> str:
    return "toml" if recipe.settings_file.endswith(".toml") else "json"


def _fenced(language: str, lines: Iterable[str]) -> str:
    return "\n".join([f"```{language}", *lines, "```\n"])


def _title(framework: Framework, recipe: Recipe) -> str:
    return f"{framework.title}: {recipe.instrumentation}"


def _anchor(framework: Framework, recipe: Recipe) -> str:
    kept = (c for c in _title(framework, recipe).lower() if c.isalnum() or c in " -_")
    return "".join(kept).replace(" ", "-")
