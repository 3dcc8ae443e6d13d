"""``spanloom instrument``: recipes that parse, lines that can be pasted, names that exist."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tomllib
from importlib.resources import files
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner
from tests.support.agents import REPOSITORY
from tests.support.recipes import FOLDER, all_recipes, packages_of, program_of, requirements_of

from spanloom.cli.running import spanloom
from spanloom.recipes import ENDPOINT, KEY, find_framework, read_frameworks

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanloom.recipes import Framework, Recipe

    Run = Callable[..., tuple[int, str, str]]

EACH = pytest.mark.parametrize(
    ("framework", "recipe"), all_recipes(), ids=lambda one: getattr(one, "way", one.name)
)


IN_CODE = [(one, recipe) for one, recipe in all_recipes() if one.language != "coding agent"]
EACH_IN_CODE = pytest.mark.parametrize(
    ("framework", "recipe"), IN_CODE, ids=lambda one: getattr(one, "way", one.name)
)
CODING_AGENTS = {"claude-code", "codex", "gemini", "copilot", "opencode", "qwen"}


CHECKS = {"JavaScript": ["node", "--check", "--input-type=module", "-"], "Go": ["gofmt"]}


@pytest.fixture
def run() -> Run:
    def _run(*arguments: str) -> tuple[int, str, str]:
        form = () if "--json" in arguments else ("--output", "table")
        ended = CliRunner().invoke(spanloom, ["instrument", *arguments, *form])
        return ended.exit_code, ended.stdout, ended.stderr

    return _run


@EACH
def test_a_recipe_is_printed_in_lines_that_can_be_pasted(
    framework: Framework, recipe: Recipe, run: Run
) -> None:
    status, out, _ = run(framework.name, recipe.way)
    assert status == 0
    lines = out.splitlines()
    assert recipe.install in lines
    assert [line for line in recipe.code.splitlines() if line not in lines] == []
    texts = (recipe.settings, recipe.key_settings)
    assert [line for text in texts for line in text.strip().splitlines() if line not in lines] == []
    for name in (*recipe.variables, *recipe.key_variables):
        assert any(line.startswith(f"export {name}=") for line in lines)
    assert [r.name for r in framework.recipes if r is not recipe and f"{r.name}  " not in out] == []


def test_a_file_gets_the_lines_and_json_only_if_asked_for() -> None:
    for asked, is_json in (([], False), (["--json"], True), (["--output", "jsonl"], True)):
        ended = CliRunner().invoke(spanloom, ["instrument", "crewai", *asked])
        assert ended.stdout.startswith("{") is is_json
        assert ("\npip install " in ended.stdout) is not is_json
    listed = CliRunner().invoke(spanloom, ["instrument"]).stdout
    assert listed.startswith("{")


@EACH
def test_json_gives_the_same_as_an_object(framework: Framework, recipe: Recipe, run: Run) -> None:
    status, out, _ = run(framework.name, recipe.way, "--json")
    given = json.loads(out)
    assert status == 0
    assert (given["install"], given["code"]) == (recipe.install, recipe.code)
    assert given["variables"] == recipe.variables
    assert set(given["other_ways"]) | {recipe.way} == {one.way for one in framework.recipes}


@EACH
def test_a_recipe_goes_to_the_endpoint_and_shows_a_key(
    framework: Framework, recipe: Recipe, run: Run
) -> None:
    _, out, _ = run(framework.name, recipe.way, "--endpoint", "https://spans.example:4318/")
    assert re.search('(=|: |= )"?https://spans.example:4318', out)
    assert ENDPOINT not in out
    assert any(KEY in text for text in (*recipe.key_variables.values(), recipe.key_settings))


@pytest.mark.parametrize("name", sorted(CODING_AGENTS))
def test_settings_of_a_coding_agent_parse(name: str) -> None:
    recipe = find_framework(name).recipes[0]
    assert recipe.untried, "it is said where it is printed"
    assert recipe.install.startswith("npm install -g ")
    for text in filter(None, (recipe.settings, recipe.key_settings)):
        read = tomllib.loads if recipe.settings_file.endswith(".toml") else json.loads
        assert read(text)
    assert recipe.variables or recipe.settings


def test_all_coding_agents_have_a_recipe() -> None:
    found = {one.name for one in read_frameworks() if one.language == "coding agent"}
    assert found == CODING_AGENTS


@pytest.mark.service
@EACH_IN_CODE
def test_the_code_and_the_agent_that_tries_it_parse(framework: Framework, recipe: Recipe) -> None:
    if framework.language == "Python":
        compile(program_of(framework, recipe), recipe.name, "exec")
        return
    command = CHECKS[framework.language]
    if shutil.which(command[0]) is None:
        pytest.skip(f"needs {command[0]}")
    program = recipe.code if recipe.untried else program_of(framework, recipe)
    ended = subprocess.run(command, input=program, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert framework.language != "Go" or ended.stdout == recipe.code


@EACH_IN_CODE
def test_what_is_installed_is_what_the_tests_have(framework: Framework, recipe: Recipe) -> None:
    named = packages_of(recipe)
    assert named
    assert named - requirements_of(framework, recipe) == set()


def test_every_file_is_of_a_framework_and_every_agent_of_a_recipe() -> None:
    names = {file.name for file in files("spanloom.recipes").iterdir()}
    recipes = {f"{recipe.framework}.{recipe.way}.toml" for _, recipe in all_recipes()}
    assert {name for name in names if name.endswith(".toml")} == recipes | {"frameworks.toml"}
    agents = {file.stem.replace("_", "-") for file in (FOLDER / "agents").iterdir()}
    assert agents - {recipe.framework for _, recipe in all_recipes()} == set()


def test_a_name_stands_for_one_framework() -> None:
    names = [name for one in read_frameworks() for name in (one.name, *one.also)]
    assert len(names) == len(set(names))


def test_without_a_name_all_are_listed(run: Run) -> None:
    status, out, _ = run()
    assert status == 0
    for framework in read_frameworks():
        assert re.search(rf"^{framework.name} .*{framework.language}", out, re.MULTILINE)
    listed = [json.loads(line) for line in run("--json")[1].splitlines()]
    assert [one["framework"] for one in listed] == [one.name for one in read_frameworks()]


@pytest.mark.parametrize("name", ["langgraph", "LangChain"])
def test_the_recommended_way_comes_first_under_any_name(name: str, run: Run) -> None:
    assert run(name) == run("langgraph", "openinference")


@pytest.mark.parametrize(
    ("name", "framework"),
    [
        ("Microsoft Agent Framework", "agent-framework"),
        ("agent_framework", "agent-framework"),
        ("Google ADK", "adk"),
        ("LangGraph.js", "langchain-js"),
        ("Claude Code", "claude-code"),
        ("smol agents", "smolagents"),
        ("AutoGen", "autogen"),
    ],
)
def test_titles_and_spellings_of_names_are_found(name: str, framework: str) -> None:
    assert find_framework(name).name == framework


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["langgrap"], "did you mean langgraph"),
        (["mlflow"], "'mlflow' instruments frameworks: `spanloom instrument langgraph mlflow`"),
        (["langfuse"], "`spanloom instrument eino langfuse`; `spanloom instrument` lists all"),
        (["haystack"], "no framework 'haystack'; `spanloom instrument` lists all"),
        (["haystack"], "docs/dialects.md"),
        (["zzz"], "no framework 'zzz'; `spanloom instrument` lists all"),
        (["semantic-kernel"], "export OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318"),
        (["langflow"], "`spanloom instrument plain` prints the lines for spans by hand"),
        (["langgraph", "langfus"], "did you mean langfuse?"),
        (["openai", "zzz"], "there is openinference"),
        (["openai", "--endpoint", "localhost"], "'localhost' is no address"),
        (["openai", "--endpoint", "http://a b"], "is no address"),
    ],
)
def test_what_does_not_exist_is_refused(arguments: list[str], said: str, run: Run) -> None:
    status, out, err = run(*arguments)
    assert (status, out) == (2, "")
    assert said in err


def test_the_first_steps_show_the_recommended_recipe_as_it_is() -> None:
    recipe = read_frameworks()[0].recipes[0]
    page = (REPOSITORY / "docs/start.md").read_text("utf-8")
    assert recipe.install in page
    assert f"```python\n{recipe.code}```" in page
