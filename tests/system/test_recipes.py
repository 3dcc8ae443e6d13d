"""Each recipe of ``spanloom instrument``, as printed, under its real packages, against the service.

The program is the recipe and a tiny agent; its model is a scripted server on loopback. The service
has keys, so what a recipe sets to show one is tried too.
"""

from __future__ import annotations

import shutil
import subprocess
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import httpx
import pytest
from tests.support import scripted_server as script
from tests.support.agents import RUN_S, SETTLED_S, Json
from tests.support.programs import clean_environment
from tests.support.recipes import EXPECTED, PLACES, Expected, all_recipes, program_of, venv_of
from tests.support.team import tokens_of, tool_name

from spanloom.recipes.reading import KEY, find_framework, find_recipe

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.conftest import RunSpanloom, StartSpanloom

    from spanloom.recipes.reading import Recipe


def recipes_in(language: str) -> list[Recipe]:
    return [recipe for framework, recipe in all_recipes() if framework.language == language]


def name_of(recipe: Recipe) -> str:
    return recipe.name


@dataclass(frozen=True)
class Locked:
    """A started service that has keys."""

    otlp_http: str
    ingest_key: str
    client: httpx.Client

    def trajectories(self) -> list[Json]:
        """Return what `spanloom list` shows."""
        shown = {"is_duplicate": False, "has_steps": True}
        items: list[Json] = self.client.get("/v1/trajectories", params=shown).json()["items"]
        return items


@pytest.fixture(scope="module")
def locked(
    start_shared_spanloom: StartSpanloom,
    run_spanloom: RunSpanloom,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Locked]:
    place = tmp_path_factory.mktemp("locked")
    ingest, read = (_new_key(run_spanloom, place, scope) for scope in ("ingest", "read"))
    started = start_shared_spanloom(
        "serve", "--root-quiet-s=0.5", "--no-root-quiet-s=5", data_dir=place
    )
    started.wait_until_ready()
    headers = {"authorization": f"Bearer {read}"}
    with httpx.Client(base_url=started.api, headers=headers) as client:
        yield Locked(started.addresses["otlp_http"], ingest, client)


@pytest.fixture(scope="module")
def models() -> Iterator[str]:
    with script.scripted_server() as address:
        yield address


@pytest.mark.parametrize("recipe", recipes_in("Python"), ids=name_of)
def test_a_python_recipe_shows_the_run(
    recipe: Recipe, locked: Locked, models: str, tmp_path: Path
) -> None:
    python = PLACES / venv_of(recipe) / "bin" / "python"
    if not python.exists():
        pytest.skip(f"needs {venv_of(recipe)}: python -m tests.recipes.install")
    check_run(recipe, [str(python)], tmp_path / "program.py", locked, models)


@pytest.mark.parametrize("recipe", recipes_in("JavaScript"), ids=name_of)
def test_a_recipe_for_node_shows_the_run(recipe: Recipe, locked: Locked, models: str) -> None:
    node = shutil.which("node")
    if node is None or not (PLACES / "js" / "node_modules").exists():
        pytest.skip("needs Node and its packages: python -m tests.recipes.install")
    check_run(recipe, [node], PLACES / "js" / f"{recipe.framework}.mjs", locked, models)


def check_run(
    recipe: Recipe, interpreter: list[str], program: Path, locked: Locked, models: str
) -> None:
    """Run the recipe and its agent, and look at the one trajectory that comes of it."""
    program.write_text(program_of(find_framework(recipe.framework), recipe), "utf-8")
    before = {item["trace_id"] for item in locked.trajectories()}
    run([*interpreter, str(program)], program.parent, locked, recipe, models)
    check(await_run(locked, before), EXPECTED.get(recipe.framework, Expected()))


def run(command: list[str], folder: Path, locked: Locked, recipe: Recipe, models: str) -> None:
    """Run a program to its end, with the variables that the recipe names."""
    given = find_recipe(find_framework(recipe.framework, locked.otlp_http), recipe.way)
    keys = {
        name: text.replace(KEY, locked.ingest_key) for name, text in given.key_variables.items()
    }
    ended = subprocess.run(
        command,
        cwd=folder,
        env=clean_environment({**_application(models), **given.variables, **keys}),
        capture_output=True,
        text=True,
        timeout=RUN_S,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr


def await_run(locked: Locked, before: set[str]) -> Json:
    """Wait for the one new trajectory to settle; give its document."""
    until = time.monotonic() + SETTLED_S
    while time.monotonic() < until:
        new = [item for item in locked.trajectories() if item["trace_id"] not in before]
        if new and all(item["status"] == "settled" for item in new):
            (item,) = new
            document: Json = locked.client.get(f"/v1/trajectories/{item['trace_id']}").json()
            return document
        time.sleep(0.2)
    raise AssertionError(f"no settled run within {SETTLED_S:g} s: {new}")


def check(document: Json, expected: Expected) -> None:
    """Assert that the run shows its agent, its calls with tokens and texts, and its tool."""
    said = document["extraction"]
    assert said["warnings"] == []
    counts = {kind: said["step_counts"][kind] for kind in ("agent", "model", "tool")}
    assert counts == {
        "agent": expected.agents,
        "model": len(expected.calls),
        "tool": expected.tools,
    }
    steps = [step for agent in document["agent_steps"] for step in agent["steps"]]
    calls = [step for step in steps if step["type"] == "model"] or [document["root_step"]]
    assert [tokens_of(step) for step in calls] == list(expected.calls)
    assert {step["metadata"]["model"] for step in calls} == {expected.model}
    assert script.QUESTION in calls[0]["input"]
    assert script.ANSWER in calls[-1]["output"]
    assert script.QUESTION in document["root_step"]["input"]
    assert script.ANSWER in document["root_step"]["output"]
    assert script.RESULT not in document["root_step"]["output"]
    for step in (step for step in steps if step["type"] == "tool"):
        check_tool(step)


def check_tool(step: Json) -> None:
    assert tool_name(step) == script.TOOL
    assert "Oslo" in step["input"]
    assert script.RESULT in step["output"]


def _new_key(run_spanloom: RunSpanloom, place: Path, scope: str) -> str:
    made = run_spanloom(
        "keys", "create", "--project", "recipes", "--scopes", scope, f"--data-dir={place}"
    )
    assert made.returncode == 0, made.stderr
    return made.stdout.strip()


def _application(models: str) -> dict[str, str]:
    """Return what the agent's own clients need, whoever instruments them."""
    return {
        "OPENAI_BASE_URL": f"{models}/v1",
        "OPENAI_API_KEY": "none",
        "ANTHROPIC_BASE_URL": models,
        "ANTHROPIC_API_KEY": "none",
        "GOOGLE_GEMINI_BASE_URL": models,
        "GOOGLE_API_KEY": "none",
        "LANGSMITH_TRACING": "false",
        "CREWAI_TRACING_ENABLED": "false",
        "PYTHONPATH": "",
    }
