"""A kind of evaluator for tests of the code around evaluators: runs state their own results.

The answer of the root is JSON: ``{"score": 0.5}``, ``{"error": 1}``, ``{"na": 1}``.
"""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from unittest import mock

from pydantic import BaseModel, ConfigDict

from spanloom.evaluation import kinds
from spanloom.evaluation.contract.errors import ErrorCode, InvalidEvaluatorError
from spanloom.evaluation.contract.result import Evidence
from spanloom.evaluation.contract.view import WHOLE
from spanloom.evaluation.evaluator import Judging
from spanloom.evaluation.kinds import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from spanloom.evaluation.contract.result import Result, Results
    from spanloom.evaluation.subject.subject import Subject


class StubConfig(BaseModel):
    model_config = ConfigDict(extra="forbid")

    at_least: float | None = None
    """The minimum value that passes; without it the value alone is returned, booleans unchanged."""
    warns: bool = False
    also: list[str] = []
    """Further scores, ``NAME/…``, of the same value."""
    file: str = ""


def make(config: StubConfig, results: Results) -> Judging:
    if config.file == "nowhere":
        raise InvalidEvaluatorError("file", "there is no such file")
    names = (results.evaluator, *(f"{results.evaluator}/{one}" for one in config.also))

    def judge(subject: Subject) -> Iterable[Result]:
        root = subject.run.document.root
        told = json.loads(root.output)
        for name in names:
            if "error" in told:
                yield results.error(ErrorCode.CRASHED, "it says so", name=name)
            elif "na" in told:
                yield results.na("it says so", name=name)
            else:
                value = told["score"]
                passed = None if config.at_least is None else value >= config.at_least
                shows = () if passed else (Evidence(step_id=root.id, field="output"),)
                reason = f"{value} of {subject.expected.response or 'nothing expected'}"
                yield results.judged(value, passed, name=name, rationale=reason, evidence=shows)

    warned = frozenset(names) if config.warns else frozenset()
    return Judging(WHOLE, judge, names, warn_scores=warned)


STUB = Kind(StubConfig, make)
_PLACES = {"stub": f"{__name__}:STUB"}


@contextmanager
def stub_kinds() -> Iterator[None]:
    """Register the kind ``stub`` within the context."""
    with mock.patch.dict(kinds._PLACES, _PLACES):
        yield


def run_document(number: int, told: Any, **extraction: Any) -> dict[str, Any]:
    """Return a canonical document of one root whose answer is ``told``."""
    info = {"started_at": str(1_796_000_000_000 + number), "duration": "10", "error": None}
    root = {
        "id": f"{number:016x}",
        "name": "planner",
        "input": "go",
        "output": json.dumps(told),
        "metadata": {},
        "basic_info": info,
        "metrics_info": None,
    }
    about = {"project": "default", "version": 1, "root_type": "agent", **extraction}
    return {"id": f"{number:032x}", "root_step": root, "agent_steps": [], "extraction": about}
