"""The data directories recorded by earlier releases: ``fixtures/stores``."""

from __future__ import annotations

import json
import re
import tarfile
import time
from pathlib import Path
from typing import Any

import httpx

STORES = Path(__file__).parents[1] / "fixtures" / "stores"
EARLIER = "before-0.1.0"
RELEASES = sorted(path.name for path in STORES.iterdir() if path.is_dir() and path.name != EARLIER)
UNRELEASED = STORES / "unreleased.sql"
"""The tables and views changed by migrations since the last release, in their current form."""
STORED_S = 30.0


def unpack(name: str, data: Path) -> Path:
    """Unpack the recorded directory of this name at a path; return the path."""
    data.mkdir()
    with tarfile.open(STORES / name / "data.tar.xz") as archive:
        archive.extractall(data, filter="data")
    return data


def definitions_of(schema: str) -> dict[str, str]:
    """Return the statements of a schema by the kind and name of what they create."""
    statements = re.split(r"\n\n(?=CREATE )", schema.strip())
    return {" ".join(text.split("\n", 1)[0].split()): text for text in statements if text}


def answers_of(name: str) -> dict[str, Any]:
    """Return the responses of the recorded service's API, by path."""
    answers: dict[str, Any] = json.loads((STORES / name / "answers.json").read_text())
    return answers


def check_answers(name: str, api: str) -> None:
    """Assert the responses of the recorded service, and the run that was in its spool."""
    answers = answers_of(name)
    with httpx.Client(base_url=api, timeout=30) as client:
        for path, recorded in answers.items():
            assert client.get(path).json() == recorded, path
        runs = [path for path in answers if not path.endswith("/annotations")]
        until = time.monotonic() + STORED_S
        while len(client.get("/v1/trajectories?has_steps=any").json()["items"]) <= len(runs):
            assert time.monotonic() < until, "what waited in the spool has not come"
            time.sleep(0.1)
