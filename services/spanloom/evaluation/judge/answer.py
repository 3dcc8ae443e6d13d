"""Reads what a model answered: of a run a value with its reasons, of a part what it tells."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from spanloom.evaluation.contract.errors import ErrorCode

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from spanloom.evaluation.judge.config import JudgeConfig

MAX_ANSWER = 100_000
"""Characters of an answer; a longer one is none."""
MAX_RATIONALE = 20_000
"""As at the door of scores."""
MAX_EVIDENCE = 100


class InvalidAnswerError(ValueError):
    """The answer has no value that the configuration allows; the message says what is wrong."""

    code = ErrorCode.INVALID_ANSWER


class Answer(NamedTuple):
    """A vote."""

    value: bool | float | str
    rationale: str
    steps: tuple[int, ...]
    """Numbers of steps, unchecked."""


class Findings(NamedTuple):
    """What a part of a run tells, without a verdict."""

    findings: str
    summary: str
    """Of the run so far."""
    steps: tuple[int, ...]
    """Numbers of steps, unchecked."""


def read_answer(text: str, config: JudgeConfig) -> Answer:
    """Return the answer in a text; raises ``InvalidAnswerError`` for one that is no vote."""
    return answer_of(object_in(text), config)


def answer_of(given: Mapping[str, Any], config: JudgeConfig) -> Answer:  # JSON values
    """Return the answer of an object; raises ``InvalidAnswerError`` for one that is no vote."""
    if "value" not in given:
        raise InvalidAnswerError("the object has no value")
    rationale = given.get("rationale")
    return Answer(
        _READERS[config.form](given["value"], config),
        rationale[:MAX_RATIONALE] if isinstance(rationale, str) else "",
        _numbers(given.get("evidence")),
    )


def findings_of(given: Mapping[str, Any]) -> Findings:  # JSON values
    """Return what an object tells of a part; raises ``InvalidAnswerError`` if it tells nothing."""
    told = [given.get(name) for name in ("findings", "summary")]
    findings, summary = (text[:MAX_RATIONALE] if isinstance(text, str) else "" for text in told)
    if not findings and not summary:
        raise InvalidAnswerError("the object has neither findings nor summary")
    return Findings(findings, summary, _numbers(given.get("evidence")))


def object_in(text: str) -> Mapping[str, Any]:  # JSON values
    """Return the JSON object in a text, which may have words or a fence around it.

    Raises ``InvalidAnswerError`` if there is none.
    """
    if len(text) > MAX_ANSWER:
        raise InvalidAnswerError(f"{len(text)} characters; at most {MAX_ANSWER} are an answer")
    begin, end = text.find("{"), text.rfind("}")
    try:
        value = orjson.loads(text[begin : end + 1]) if 0 <= begin < end else None
    except ValueError as error:  # NaN and infinity are no JSON either
        raise InvalidAnswerError("it is no JSON object") from error
    if not isinstance(value, dict):
        raise InvalidAnswerError("it is no JSON object")
    return value


def _numbers(given: object) -> tuple[int, ...]:
    if not isinstance(given, list):
        return ()
    numbers = [one for one in given if isinstance(one, int) and not isinstance(one, bool)]
    return tuple(dict.fromkeys(numbers))[:MAX_EVIDENCE]


def _category(value: object, config: JudgeConfig) -> str:
    if isinstance(value, str) and value.strip() in (config.values or ()):
        return value.strip()
    raise InvalidAnswerError(f"value {_shown(value)} is no category")


def _boolean(value: object, _: JudgeConfig) -> bool:
    if isinstance(value, bool):
        return value
    raise InvalidAnswerError(f"value {_shown(value)} is neither true nor false")


def _number(value: object, config: JudgeConfig) -> float:
    scale = config.scale
    if isinstance(value, int | float) and not isinstance(value, bool) and scale is not None:
        if scale.min <= value <= scale.max:
            return float(value)
        raise InvalidAnswerError(
            f"value {_shown(value)} is not between {scale.min:g} and {scale.max:g}"
        )
    raise InvalidAnswerError(f"value {_shown(value)} is no number")


_READERS: Mapping[str, Callable[[object, JudgeConfig], bool | float | str]] = {
    "category": _category,
    "boolean": _boolean,
    "number": _number,
}


def _shown(value: object) -> str:
    return repr(value)[:100]
