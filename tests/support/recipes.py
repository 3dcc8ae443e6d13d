"""The environment in which each recipe is tested, and its small agent."""

from __future__ import annotations

import json
import os
import re
import shlex
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from tests.support import scripted_answers as script

from spanloom.recipes import Framework, Recipe, read_frameworks

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

FOLDER = Path(__file__).parents[1] / "recipes"
PLACES = Path(os.environ.get("SPANLOOM_RECIPES", FOLDER.parents[1] / ".recipes"))
"""The folder of virtual environments made by ``python -m tests.recipes.install``."""
SUFFIXES = {"Python": "py", "JavaScript": "mjs"}
VENVS: Mapping[str, str] = {
    "adk": "adk",
    "ag2": "ag2",
    "agent-framework": "ag2",
    "agno": "small",
    "autogen": "autogen",
    "crewai": "crewai",
    "dspy": "small",
    "langgraph openlit": "openlit",
    "litellm": "small",
    "llamaindex": "openai2",
    "smolagents": "small",
    "strands": "openai2",
}
"""The environment of a recipe or framework, if not ``main``."""


@dataclass(frozen=True, slots=True)
class Expected:
    """The expected contents of a run."""

    agents: int = 1
    calls: tuple[tuple[int, int], ...] = (script.CALL_TOKENS, script.ANSWER_TOKENS)
    tools: int = 1
    model: str = "gpt-4o-mini"


ONE_CALL = (script.ANSWER_TOKENS,)
EXPECTED: Mapping[str, Expected] = {
    "adk": Expected(model="gemini-2.5-flash"),
    "autogen": Expected(model="gpt-4o-mini-2024-07-18"),  # its client resolves the name
    "anthropic": Expected(0, ONE_CALL, 0, "claude-sonnet-4-5"),
    "openai": Expected(0, ONE_CALL, 0),
    "dspy": Expected(0, ONE_CALL, 0),
    "litellm": Expected(0, ONE_CALL, 0),
}
"""The expected run by framework, unless it is the run of one agent that calls its tool once."""


@cache
def all_recipes() -> Sequence[tuple[Framework, Recipe]]:
    """Return every recipe with its framework."""
    return [(one, recipe) for one in read_frameworks() for recipe in one.recipes]


def venv_of(recipe: Recipe) -> str:
    """Return the name of the environment in which a Python recipe is tested."""
    return VENVS.get(recipe.name, VENVS.get(recipe.framework, "main"))


def program_of(framework: Framework, recipe: Recipe) -> str:
    """Return a complete program: the recipe as printed, then an agent that runs once."""
    agent = f"{framework.name.replace('-', '_')}.{SUFFIXES[framework.language]}"
    return f"{recipe.code}\n{(FOLDER / 'agents' / agent).read_text('utf-8')}"


def packages_of(recipe: Recipe) -> set[str]:
    """Return the names of the packages that the recipe installs."""
    words = shlex.split(recipe.install)[2:]
    return {re.split(r"(?<=.)[@\[<>=]", word)[0] for word in words if not word.startswith("-")}


def requirements_of(framework: Framework, recipe: Recipe) -> set[str]:
    """Return the packages that the tests pin for it; for Go the packages that the code imports."""
    if framework.language == "Go":
        return set(re.findall(r'"(github.com/[^"]+)"', recipe.code))
    if framework.language == "JavaScript":
        return set(json.loads((FOLDER / "js" / "package.json").read_text())["dependencies"])
    lines = (FOLDER / "requirements" / f"{venv_of(recipe)}.txt").read_text().splitlines()
    return {re.split(r"[\[=]", line)[0] for line in lines if not line.startswith("#")}
