"""Recipes as JSON objects, for programs."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spanloom.recipes.reading import Framework, Recipe


def recipe_as_json(framework: Framework, recipe: Recipe) -> dict[str, Any]:
    """Return a recipe with its framework's title and language, and the names of other ways."""
    others = [one.way for one in framework.recipes if one is not recipe]
    about = {"title": framework.title, "language": framework.language, "other_ways": others}
    return {**asdict(recipe), **about}


def framework_as_json(framework: Framework) -> dict[str, Any]:
    """Return a framework with a short description of each way."""
    ways = [
        {"way": one.way, "instrumentation": one.instrumentation, "line": one.line}
        for one in framework.recipes
    ]
    about = {"framework": framework.name, "title": framework.title, "language": framework.language}
    return {**about, "also": list(framework.also), "ways": ways}
