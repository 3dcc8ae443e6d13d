"""Every command, option, variable, route, file and metric named in messages and pages exists."""

from __future__ import annotations

import os
import re
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import TYPE_CHECKING
from unittest.mock import Mock

import click
import pytest
from prometheus_client.metrics import MetricWrapperBase
from tests.support.mentions import commands, literals, mentions
from tests.support.written_examples import ROOT

from spanloom import api
from spanloom.cli.running import COMMANDS, spanloom
from spanloom.collector.doors.http import make_doors
from spanloom.config.section import variable_of
from spanloom.config.settings import Settings
from spanloom.metrics import Metrics
from spanloom.recipes import read_frameworks
from spanloom.testing.options import REPORT, UPDATE

if TYPE_CHECKING:
    from collections.abc import Iterator

OF_OTHERS = {
    "--upgrade",
    "--group",
    "--no-compile",
    "--from",
    "--spec",
    "--numprocesses",
    "--check",
    "--help",
}
OF_OTHERS |= {
    "--fix",
    "--hypothesis-profile",
    "--env-file",
    "--profile",
    "--detach",
    "--query",
    "--only",
    "--verbose",
    "--ignore-scripts",
    "--rewrite",
    "--declared",
}
"""Options of pip, uvx, pipx, pytest, docs/generate.py, click, docker compose and benchmarks."""
MISSING = {"--cluster", "--all-agents", "--fine-types", "--steps"}
"""Options that texts name as missing."""
OF_PLUGIN = {UPDATE, REPORT, "--spanloom-send", "--spanloom-experiment"}
"""Options of Spanloom's pytest plugin."""
OF_TESTS = {
    "SPANLOOM_SIM_SEED",
    "SPANLOOM_SIM_STEPS",
    "SPANLOOM_SOAK_S",
    "SPANLOOM_TEST_STORE_URL",
    "SPANLOOM_WITHOUT_REAL_SERVER",
}
OF_CLIENTS = {"SPANLOOM_OTLP_URL", "SPANLOOM_API_URL", "SPANLOOM_API_KEY", "SPANLOOM_SQL_URL"}
OF_JUDGES = {"SPANLOOM_JUDGE_CACHE", "SPANLOOM_JUDGE_CACHE_TTL_S", "SPANLOOM_JUDGE_MODEL"}
INI_OF_PLUGIN = {"spanloom_evaluators"}
FILES = (
    r"(?<![\w./@:-])(?<!> )((?:[\w-]+/)*[\w-]+\.(?:py|sql|toml|md|proto|sqlite|json))\b(?![./]\w)"
)
"""Matches a path such as ``intake/budget.py``; a file of the repository may end with it."""


def test_commands_exist_with_their_options() -> None:
    wrong = [f"{where}: spanloom {line}" for where, line in commands() if not _is_understood(line)]
    assert not wrong


@pytest.mark.parametrize(
    "line", ["shew latest", "keys make", "show latest --colour", "keys list --all", "list --live"]
)
def test_what_does_not_exist_would_be_noticed(line: str) -> None:
    assert not _is_understood(line)


def test_options_exist() -> None:
    known = {o for command in _all_commands() for o in _options(command)} | OF_OTHERS | OF_PLUGIN
    found = set(mentions(r"(?<![\w-])--[a-z][a-z-]+"))
    assert not [m for m in found if m.name not in known | MISSING]


def test_recipes_exist() -> None:
    known = {
        words for one in read_frameworks() for r in one.recipes for words in (one.name, r.name)
    }
    found = set(mentions(r"spanloom instrument ([a-z][\w-]*(?: [a-z][\w-]*)?)"))
    assert len(found) > len(known) / 2
    assert not [m for m in found if m.name not in known]


def test_variables_exist() -> None:
    known = {variable_of(name) for name in Settings.model_fields} | OF_CLIENTS | OF_TESTS
    known |= OF_JUDGES
    found = set(mentions(r"\bSPANLOOM_[A-Z_]+"))
    assert not [m for m in found if m.name not in known]


def test_routes_exist() -> None:
    known = [re.sub(r"\{[^}]+\}", "{}", path) for path in (*_routes(), *_doors())]
    found = set(mentions(r"(?<![\w}.])(/(?:v1|api/public)/(?:[\w/{}*]|(?<=\w)-(?=\w)|\.html)+)"))
    assert len(found) > len(known) / 2
    assert not [m for m in found if not _is_route(m.name, known)]


def test_files_exist() -> None:
    """Repository files count by the end of their path, data directory files as code spells them."""
    known = {end for path in _files() for end in _ends(path)} | {name for _, name in literals()}
    found = set(mentions(FILES))
    assert not [m for m in found if m.name not in known]


def test_metrics_exist() -> None:
    declared = [m for m in vars(Metrics()).values() if isinstance(m, MetricWrapperBase)]
    families = {next(iter(metric.describe())).name for metric in declared} | INI_OF_PLUGIN
    found = set(mentions(r"\bspanloom_[a-z_]+[a-z]"))
    assert len({m.name for m in found}) >= len(families)
    assert not [m for m in found if m.name.removesuffix("_total") not in families]


def _is_understood(line: str) -> bool:
    """Return whether the words are a command, or its beginning, with options that exist."""
    command: click.Command | None = spanloom
    words = line.split()
    while isinstance(command, click.Group) and words and re.fullmatch("[a-z-]+", words[0]):
        command = command.get_command(click.Context(command), words.pop(0))
    if command is None:
        return False
    given = [match[0] for word in words if (match := re.match("--[a-z-]+", word))]
    return set(given) <= _options(command) | OF_OTHERS


def _options(command: click.Command) -> set[str]:
    return {flag for p in command.params for flag in (*p.opts, *p.secondary_opts)}


def _all_commands() -> Iterator[click.Command]:
    for name in COMMANDS:
        command = spanloom.get_command(click.Context(spanloom), name)
        assert command is not None
        yield command
        if isinstance(command, click.Group):
            yield from command.commands.values()


def _routes() -> Iterator[str]:
    for module in walk_packages(api.__path__, f"{api.__name__}."):
        if router := getattr(import_module(module.name), "router", None):
            yield from (route.path for route in router.routes)


def _doors() -> Iterator[str]:
    yield from make_doors(Mock(), Mock(), Mock())


def _files() -> Iterator[str]:
    """Yield the path of every file except installed and hidden ones."""
    for folder, folders, files in os.walk(ROOT):
        folders[:] = [name for name in folders if name[0] != "." and name != "node_modules"]
        yield from ((Path(folder) / file).relative_to(ROOT).as_posix() for file in files)


def _ends(path: str) -> Iterator[str]:
    """Yield ``collector/spool/file.py`` for that path, and ``spool/file.py`` and ``file.py``."""
    words = path.split("/")
    yield from ("/".join(words[start:]) for start in range(len(words)))


def _is_route(name: str, known: list[str]) -> bool:
    """Return whether a name is a route, or the beginning of one that another literal continues."""
    path = re.sub(r"\{\w+\}?|[0-9a-f]{32}", "{}", name)
    return path in known or (path.endswith("/") and any(one.startswith(path) for one in known))
