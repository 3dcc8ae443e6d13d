"""Each recipe of ``spanloom instrument``, as printed and with its real packages, shows a run.

The program is the recipe and a tiny agent; its model is a scripted server on loopback. The service
has keys, so that recipes have to send one.
"""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import httpx
import pytest
from tests.support import scripted_answers as script
from tests.support.recipe_runs import Locked, await_run, run
from tests.support.recipes import EXPECTED, PLACES, Expected, all_recipes, program_of, venv_of
from tests.support.scripted_server import scripted_server
from tests.support.team import tokens_of, tool_name

from spanloom.recipes import find_framework

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.conftest import RunSpanloom, StartSpanloom
    from tests.support.agents import Json

    from spanloom.recipes import Recipe


pytestmark = pytest.mark.nightly  # by default, test_senders.py tests real SDKs


def recipes_in(language: str) -> list[Recipe]:
    return [recipe for framework, recipe in all_recipes() if framework.language == language]


def name_of(recipe: Recipe) -> str:
    return recipe.name


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
    with scripted_server() as address:
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


@pytest.mark.parametrize("recipe", recipes_in("Go"), ids=name_of)
def test_a_recipe_for_go_shows_the_run(recipe: Recipe) -> None:
    assert recipe.untried, "it is said where it is printed"
    pytest.skip(f"needs Go modules that the proxy does not give: {recipe.install}")


def check_run(
    recipe: Recipe, interpreter: list[str], program: Path, locked: Locked, models: str
) -> None:
    """Run the recipe with its agent, and check the one trajectory that results."""
    program.write_text(program_of(find_framework(recipe.framework), recipe), "utf-8")
    before = {item["trace_id"] for item in locked.trajectories()}
    run([*interpreter, str(program)], program.parent, locked, recipe, models)
    check(await_run(locked, before), EXPECTED.get(recipe.framework, Expected()))


def check(document: Json, expected: Expected) -> None:
    """Assert that the run has its agent, its model calls with tokens and texts, and its tool."""
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
