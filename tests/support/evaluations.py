"""Evaluations in a folder: a file of evaluators, runs, the command and its report."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.support.command_output import run_command
from tests.support.stub_kinds import run_document

from spanloom.evaluation.files.config.reading import Config, read_config
from spanloom.evaluation.files.judging import Judgement, run_to_judge

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

GOOD = {"name": "good", "kind": "stub", "at_least": 0.5}
RAW = {"name": "raw", "kind": "stub"}


def config_of(*evaluators: dict[str, Any], **members: Any) -> Config:
    """Return a configuration with these evaluators, by default one that passes from 0.5 on."""
    value = {"name": "trips", "evaluators": list(evaluators or (GOOD,)), **members}
    return read_config(json.dumps(value).encode())


def judged(config: Config, values: Iterable[object]) -> Judgement:
    """Return the judgement of one run per value, which is a number, or members of the answer."""
    judgement = Judgement(config.evaluators)
    for number, value in enumerate(values, 1):
        told = value if isinstance(value, dict) else {"score": value}
        judgement.take(run_to_judge(run_document(number, told)))
    return judgement


def write_runs(path: Path, values: Iterable[object]) -> None:
    """Write a file of canonical documents."""
    documents = [
        run_document(n, v if isinstance(v, dict) else {"score": v}) for n, v in enumerate(values, 1)
    ]
    path.write_text("".join(f"{json.dumps(one)}\n" for one in documents))


def status_of(arguments: Sequence[str]) -> tuple[int, str]:
    """Run ``spanloom eval run`` and return its exit status and standard error."""
    said = run_command(["eval", "run", *arguments])
    errors = said.partition("--- standard error\n")[2].partition("--- exit status ")
    status = said.rpartition("--- exit status ")[2].strip() if "--- exit status" in said else "0"
    return int(status), errors[0]
