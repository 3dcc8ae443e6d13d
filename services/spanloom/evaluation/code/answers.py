"""Parses return values of evaluator code: a boolean, a number, a category, or an object."""

from __future__ import annotations

import math
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError

from spanloom.evaluation.contract.errors import ErrorCode
from spanloom.evaluation.contract.result import Evidence

if TYPE_CHECKING:
    from spanloom.evaluation.contract.result import Result, Results, Value

MAX_TEXT = 20_000
"""Maximum characters of a rationale; the API of scores has the same limit."""
MAX_CATEGORY = 1_000
_MAX_EVIDENCE = 1_000


class _Members(BaseModel):
    """An object returned by evaluator code; ``score`` and ``reason`` are names that Coze uses."""

    model_config = ConfigDict(extra="forbid", strict=True)

    value: bool | int | float | str | None = Field(
        None, validation_alias=AliasChoices("value", "score")
    )
    passed: bool | None = None
    label: str = Field("", max_length=MAX_CATEGORY)
    rationale: str | None = Field(
        "", validation_alias=AliasChoices("rationale", "reason"), max_length=MAX_TEXT
    )
    evidence: list[str | dict[str, Any]] = Field([], max_length=_MAX_EVIDENCE)
    metrics: dict[str, int | float | None] = {}
    status: Literal["ok", "na"] = "ok"


def read_answer(value: object, results: Results) -> Result:
    """Convert a returned value to a result; an invalid value is an error, never a score."""
    value = _plain(value)
    try:
        answer = _Members.model_validate(value if isinstance(value, dict) else {"value": value})
        evidence = [_evidence(one) for one in answer.evidence]
    except ValidationError as error:
        return results.error(ErrorCode.INVALID_ANSWER, _reason(error))
    if answer.status == "na":
        return results.na(answer.rationale or "it does not apply")
    score = answer.passed if answer.value is None else answer.value
    if score is None:
        return results.error(ErrorCode.INVALID_ANSWER, "the code returned no value")
    numbers = [score, *answer.metrics.values()]
    if not all(_is_finite(number) for number in numbers):
        return results.error(ErrorCode.NOT_FINITE, "a number of the answer is NaN or infinite")
    if isinstance(score, str) and len(score) > MAX_CATEGORY:
        reason = f"a category of {len(score)} characters; at most {MAX_CATEGORY} are one"
        return results.error(ErrorCode.INVALID_ANSWER, reason)
    return results.judged(
        _fitting(score),
        score if answer.passed is None and isinstance(score, bool) else answer.passed,
        label=answer.label,
        rationale=answer.rationale or "",
        evidence=evidence,
        metrics={name: None if n is None else float(n) for name, n in answer.metrics.items()},
    )


def _plain(value: object) -> object:
    """Return a value; a scalar of an array library becomes a Python number."""
    if isinstance(value, bool | int | float | str | dict) or value is None:
        return value
    if callable(item := getattr(value, "item", None)) and getattr(value, "ndim", 1) == 0:
        return item()
    return float(value) if isinstance(value, Real) else value


def _evidence(value: str | dict[str, Any]) -> Evidence:
    return Evidence.model_validate(value if isinstance(value, dict) else {"step_id": value})


def _is_finite(number: object) -> bool:
    try:
        return not isinstance(number, int | float) or math.isfinite(number)
    except OverflowError:  # an integer larger than any float
        return False


def _fitting(value: Value) -> Value:
    """Return a value; an integer beyond 64 bits becomes a float."""
    is_large = isinstance(value, int) and not -(2**63) <= value < 2**63
    return float(value) if is_large and value is not None else value


def _reason(error: ValidationError) -> str:
    first = error.errors(include_input=False, include_url=False)[0]
    place = ".".join(str(part) for part in first["loc"][:1])
    needed = "a boolean, a number, a text or an object with value, passed, rationale is needed"
    return f"{place}: {first['msg']}; {needed}"[:1_000]
