"""Runs a recipe and its agent to the end, and waits for its only trajectory."""

from __future__ import annotations

import subprocess
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.support.agents import RUN_S, SETTLED_S, Json
from tests.support.programs import clean_environment

from spanloom.recipes import KEY, find_framework, find_recipe

if TYPE_CHECKING:
    from pathlib import Path

    import httpx

    from spanloom.recipes import Recipe


@dataclass(frozen=True)
class Locked:
    """A started service that has keys."""

    otlp_http: str
    ingest_key: str
    client: httpx.Client

    def trajectories(self) -> list[Json]:
        """Return the output of `spanloom list`."""
        shown = {"duplicate": False, "has_steps": True}
        items: list[Json] = self.client.get("/v1/trajectories", params=shown).json()["items"]
        return items


def run(command: list[str], folder: Path, locked: Locked, recipe: Recipe, models: str) -> None:
    """Run a program to its end, with the variables that the recipe names."""
    found = find_recipe(find_framework(recipe.framework, locked.otlp_http), recipe.way)
    keys = {
        name: text.replace(KEY, locked.ingest_key) for name, text in found.key_variables.items()
    }
    ended = subprocess.run(
        command,
        cwd=folder,
        env=clean_environment({**_application(models), **found.variables, **keys}),
        capture_output=True,
        text=True,
        timeout=RUN_S,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr


def await_run(locked: Locked, before: set[str]) -> Json:
    """Wait for the one new trajectory to settle; return its document."""
    until = time.monotonic() + SETTLED_S
    while time.monotonic() < until:
        new = [item for item in locked.trajectories() if item["trace_id"] not in before]
        if new and all(item["status"] == "settled" for item in new):
            (item,) = new
            document: Json = locked.client.get(f"/v1/trajectories/{item['trace_id']}").json()
            return document
        time.sleep(0.2)
    raise AssertionError(f"no settled run within {SETTLED_S:g} s: {new}")


def _application(models: str) -> dict[str, str]:
    """Return the variables that the agent's own clients need with any instrumentation."""
    return {
        "OPENAI_BASE_URL": f"{models}/v1",
        "OPENAI_API_KEY": "none",
        "ANTHROPIC_BASE_URL": models,
        "ANTHROPIC_API_KEY": "none",
        "GOOGLE_GEMINI_BASE_URL": models,
        "GOOGLE_API_KEY": "none",
        "LANGSMITH_TRACING": "false",
        "CREWAI_DISABLE_TELEMETRY": "true",
        "CREWAI_TRACING_ENABLED": "false",
        "PYTHONPATH": "",
    }
