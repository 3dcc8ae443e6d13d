"""Makes the judges for tests from an evaluator's name in a file, criteria, or a configuration.

A judge is created once in a session, so that all tests share its budget and its count of
consecutive failures.
"""

from __future__ import annotations

import os
import re
from difflib import get_close_matches
from functools import cache
from typing import TYPE_CHECKING, Any

from spanloom.core.formats.json_bytes import dump
from spanloom.evaluation.contract.errors import ErrorCode, InvalidEvaluatorError
from spanloom.evaluation.files.config.reading import read_config
from spanloom.evaluation.making import MAX_NAME, make_evaluator

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from spanloom.evaluation.contract.result import Result
    from spanloom.evaluation.evaluator import Evaluator

MODEL = "SPANLOOM_JUDGE_MODEL"
"""The environment variable that names the model for criteria given as text."""
_FORMS = frozenset({"scale", "values", "boolean"})
_KEY = re.compile(r"\b[A-Z_]+_API_KEY\b")
_made: dict[bytes, Evaluator] = {}


class MissingModelError(Exception):
    """No model can be called; the message names the missing part of the setup."""


def find_judge(
    given: str | Mapping[str, Any], threshold: float | None, file: Path | None
) -> Evaluator:
    """Return the judge for a name, for criteria or for a configuration.

    A string is the name of an evaluator in ``file``; without a file it is the criteria. Raises
    ``InvalidEvaluatorError``, ``ConfigError`` for the file, and ``MissingModelError``.
    """
    config = _config(given, file)
    if threshold is not None:
        config["threshold"] = threshold
        if not config.keys() & _FORMS:
            config["scale"] = {"min": 0, "max": 1}
    key = dump(config)
    if key not in _made:
        _made[key] = make_evaluator(config)
    return _made[key]


def why_no_model(results: Sequence[Result]) -> str:
    """Return why no model could be called (a missing package or key); otherwise an empty text."""
    for one in results:
        has_no_key = one.error_code == ErrorCode.PROVIDER_DENIED and _KEY.search(one.rationale)
        if one.error_code == ErrorCode.MISSING_PACKAGE or has_no_key:
            return one.rationale
    return ""


def _config(given: str | Mapping[str, Any], file: Path | None) -> dict[str, Any]:  # JSON values
    if not isinstance(given, str):
        return {"name": "judge", **given, "kind": "judge"}
    if file is not None:
        return _named(given, file)
    if not (model := os.environ.get(MODEL)):
        raise MissingModelError(f"there is no model: set {MODEL}, such as openai-chat:gpt-4o-mini")
    fits = 0 < len(given) <= MAX_NAME and given.isprintable()
    return {"name": given if fits else "judge", "kind": "judge", "model": model, "criteria": given}


def _named(name: str, file: Path) -> dict[str, Any]:  # JSON values
    evaluators = _evaluators(file)
    evaluator = evaluators.get(name)
    if evaluator is None:
        alike = get_close_matches(name, list(evaluators), n=1)
        hint = f"did you mean {alike[0]}?" if alike else f"it has {', '.join(evaluators)}"
        raise InvalidEvaluatorError("name", f"{file.name} has no evaluator {name}; {hint}")
    if evaluator.kind != "judge":
        raise InvalidEvaluatorError("name", f"{name} of {file.name} is of kind {evaluator.kind}")
    return {"name": evaluator.name, "kind": "judge", **evaluator.config}


@cache
def _evaluators(file: Path) -> Mapping[str, Evaluator]:
    read = read_config(file.read_bytes(), name=file.name, folder=file.parent, allows_code=True)
    return {one.name: one for one in read.evaluators}
