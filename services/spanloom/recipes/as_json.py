"""Recipes as objects, for programs that read them."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spanloom.recipes.reading import Framework, Recipe


def recipe_as_json(framework: Framework, recipe: Recipe) -> dict[str, Any]:
    """Return a recipe with what its framework is, and the names of the other ways."""
    others = [one.way for one in framework.recipes if one is not recipe]
    about = {"title": framework.title, "language": framework.language, "other_ways": others}
    return {**asdict(recipe), **about}


def framework_as_json(framework: Framework) -> dict[str, Any]:
    """Return a framework with its ways in one line each."""
    ways = [
        {"way": one.way, "instrumentation": one.instrumentation, "line": one.line}
        for one in framework.recipes
    ]
    about = {"framework": framework.name, "title": framework.title, "language": framework.language}
    return {**about, "also": list(framework.also), "ways": ways}
