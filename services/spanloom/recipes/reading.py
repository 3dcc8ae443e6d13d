"""Reads the recipes: what to install, to write and to export so that agents send their spans."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from spanloom.core.errors import SpanloomError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ENDPOINT = "http://127.0.0.1:4318"
KEY = "sl_…"
"""Stands where a key goes; the real one is nobody's to print."""


class UnknownRecipeError(SpanloomError):
    """There is no framework or no way of that name."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """One way in which agents of a framework send."""

    framework: str
    way: str
    """Its short name, as it is asked for."""
    instrumentation: str
    line: str
    """What it is, and how it differs from the other ways."""
    install: str
    code: str
    """Goes before everything that makes agents; empty where variables are enough."""
    variables: Mapping[str, str]
    key_variables: Mapping[str, str]
    """What is set besides where the service has keys."""
    notes: str = ""
    untried: str = ""
    """Why no test runs it."""

    @property
    def name(self) -> str:
        """The words after ``spanloom instrument``."""
        return f"{self.framework} {self.way}"


@dataclass(frozen=True, slots=True)
class Framework:
    """A framework and its recipes, the recommended one first."""

    name: str
    title: str
    language: str
    recipes: Sequence[Recipe]
    also: Sequence[str] = ()
    """Other names that it is asked for by."""
    why: str = ""
    """Why the first recipe is the recommended one."""


def read_frameworks(endpoint: str = ENDPOINT) -> Sequence[Framework]:
    """Return all frameworks; their variables name the endpoint."""
    tables = tomllib.loads(_text("frameworks.toml"))
    return [_framework(name, dict(table), endpoint) for name, table in tables.items()]


def find_framework(name: str, endpoint: str = ENDPOINT) -> Framework:
    """Return the framework of that name in any case; an unknown one is refused with near ones."""
    frameworks = read_frameworks(endpoint)
    names = {known: one for one in frameworks for known in (one.name, *one.also)}
    if found := names.get(name.lower()):
        return found
    raise UnknownRecipeError(
        f"{_unknown('framework', name, names)}; `spanloom instrument` lists all"
    )


def find_recipe(framework: Framework, way: str | None) -> Recipe:
    """Return the recipe of that name, the recommended one without; else name what there is."""
    if way is None:
        return framework.recipes[0]
    ways = {recipe.way: recipe for recipe in framework.recipes}
    if found := ways.get(way.lower()):
        return found
    unknown = _unknown(f"way for {framework.name}", way, ways)
    raise UnknownRecipeError(f"{unknown}; there is {', '.join(ways)}")


def _framework(name: str, table: dict[str, Any], endpoint: str) -> Framework:
    recipes = [_recipe(name, way, endpoint) for way in table.pop("ways")]
    return Framework(name, recipes=recipes, **table)


def _recipe(framework: str, way: str, endpoint: str) -> Recipe:
    table = tomllib.loads(_text(f"{framework}.{way}.toml"))
    fill = {"{endpoint}": endpoint.rstrip("/"), "{key}": KEY}
    for part in ("variables", "key_variables"):
        table[part] = {name: _filled(value, fill) for name, value in table[part].items()}
    return Recipe(framework, way, **table)


def _filled(text: str, values: Mapping[str, str]) -> str:
    for name, value in values.items():
        text = text.replace(name, value)
    return text


def _unknown(what: str, name: str, known: Mapping[str, object]) -> str:
    near = get_close_matches(name.lower(), known, cutoff=0.5)
    return f"no {what} {name!r}" + (f": did you mean {' or '.join(near)}?" if near else "")


@cache
def _text(name: str) -> str:
    return files(__package__).joinpath(name).read_text("utf-8")
