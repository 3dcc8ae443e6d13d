"""The recipes for ``spanloom instrument``: how to make agents of each framework send spans.

In: a framework and an instrumentation (``way``); each pair has a TOML file, which
the tests run unless it is ``untried``. Out: a ``Recipe`` with packages, code, variables and
settings. Coding agents are frameworks that need no code. Start with ``find_recipe``.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import asdict, dataclass, field
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from spanloom.core.errors import SpanloomError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


ENDPOINT = "http://127.0.0.1:4318"
KEY = "sl_…"
"""Placeholder for an API key; a real key must not be printed."""


class UnknownRecipeError(SpanloomError):
    """No framework or instrumentation has the given name."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """One way to make agents of a framework send spans."""

    framework: str
    way: str
    """The short name of the instrumentation, as on the command line."""
    instrumentation: str
    line: str
    """One line: what the recipe is, and how it differs from other instrumentations."""
    install: str
    code: str = ""
    """Code to run before agents are made; empty if variables or settings are enough."""
    variables: Mapping[str, str] = field(default_factory=dict)
    key_variables: Mapping[str, str] = field(default_factory=dict)
    """Variables to set in addition if the service has keys."""
    settings_file: str = ""
    """The settings file of a coding agent; empty if it has none."""
    settings: str = ""
    """The contents to add to that file."""
    key_settings: str = ""
    """The contents to add instead if the service has keys."""
    notes: str = ""
    untried: str = ""
    """Why no test runs the recipe; empty if a test does."""

    @property
    def name(self) -> str:
        """The arguments of ``spanloom instrument``."""
        return f"{self.framework} {self.way}"


@dataclass(frozen=True, slots=True)
class Framework:
    """A framework and its recipes, the recommended recipe first."""

    name: str
    title: str
    language: str
    recipes: Sequence[Recipe]
    also: Sequence[str] = ()
    """Other names of the framework."""
    why: str = ""
    """Why the first recipe is recommended."""


def read_frameworks(endpoint: str = ENDPOINT) -> Sequence[Framework]:
    """Return all frameworks, with the endpoint filled in."""
    tables = tomllib.loads(_text("frameworks.toml"))
    return [_framework(name, dict(table), endpoint) for name, table in tables.items()]


def find_framework(name: str, endpoint: str = ENDPOINT) -> Framework:
    """Return the framework with a name, alias or title, ignoring case and punctuation.

    Raises ``UnknownRecipeError`` with similar names, and what to do if there is no recipe.
    """
    frameworks = read_frameworks(endpoint)
    names = {known: one for one in frameworks for known in (one.name, *one.also)}
    titles = {title: one for one in frameworks for title in one.title.split(", ")}
    if framework := {_bare(known): one for known, one in (titles | names).items()}.get(_bare(name)):
        return framework
    unknown = _as_a_way(name, frameworks) or _unknown("framework", name, names)
    raise UnknownRecipeError(
        f"{unknown}; `spanloom instrument` lists all. Other OpenTelemetry spans are "
        f"read too (docs/dialects.md): export OTEL_EXPORTER_OTLP_ENDPOINT={endpoint}; "
        "`spanloom instrument plain` prints the lines for spans by hand"
    )


def _bare(name: str) -> str:
    return re.sub(r"[\W_]+", "", name.lower())


def _as_a_way(name: str, frameworks: Sequence[Framework]) -> str:
    """Return a hint with the commands for an instrumentation of this name; empty if none has it."""
    commands = [
        f"`spanloom instrument {one.name} {recipe.way}`"
        for one in frameworks
        for recipe in one.recipes
        if _bare(name) == _bare(recipe.way)
    ]
    return f"'{name}' instruments frameworks: {', '.join(commands)}" if commands else ""


def find_recipe(framework: Framework, way: str | None) -> Recipe:
    """Return the recipe with this instrumentation; without ``way`` the recommended one.

    Raises ``UnknownRecipeError`` with the names of the framework's instrumentations.
    """
    if way is None:
        return framework.recipes[0]
    ways = {recipe.way: recipe for recipe in framework.recipes}
    if recipe := ways.get(way.lower()):
        return recipe
    unknown = _unknown(f"way for {framework.name}", way, ways)
    raise UnknownRecipeError(f"{unknown}; there is {', '.join(ways)}")


def _framework(name: str, table: dict[str, Any], endpoint: str) -> Framework:
    recipes = [_recipe(name, way, endpoint) for way in table.pop("ways")]
    return Framework(name, recipes=recipes, **table)


def _recipe(framework: str, way: str, endpoint: str) -> Recipe:
    table = tomllib.loads(_text(f"{framework}.{way}.toml"))
    fill = {"{endpoint}": endpoint.rstrip("/"), "{key}": KEY}
    for part in ("variables", "key_variables"):
        table[part] = {name: _filled(value, fill) for name, value in table.get(part, {}).items()}
    for part in ("settings", "key_settings"):
        table[part] = _filled(table.get(part, ""), fill)
    return Recipe(framework, way, **table)


def _filled(text: str, values: Mapping[str, str]) -> str:
    for name, value in values.items():
        text = text.replace(name, value)
    return text


def _unknown(what: str, name: str, known: Mapping[str, object]) -> str:
    near = get_close_matches(name.lower(), known, cutoff=0.65)
    return f"no {what} {name!r}" + (f": did you mean {' or '.join(near)}?" if near else "")


@cache
def _text(name: str) -> str:
    return files(__package__).joinpath(name).read_text("utf-8")


def recipe_as_json(framework: Framework, recipe: Recipe) -> dict[str, Any]:
    """Return a recipe with its framework's title and language, and other instrumentations."""
    others = [one.way for one in framework.recipes if one is not recipe]
    about = {"title": framework.title, "language": framework.language, "other_ways": others}
    return {**asdict(recipe), **about}


def framework_as_json(framework: Framework) -> dict[str, Any]:
    """Return a framework with a short description of each instrumentation."""
    ways = [
        {"way": one.way, "instrumentation": one.instrumentation, "line": one.line}
        for one in framework.recipes
    ]
    about = {"framework": framework.name, "title": framework.title, "language": framework.language}
    return {**about, "also": list(framework.also), "ways": ways}
