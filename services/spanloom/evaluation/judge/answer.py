"""Parses answers of a model: a value with reasons for a run, or findings for a window of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from spanloom.evaluation.contract.errors import ErrorCode

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from spanloom.evaluation.judge.config import JudgeConfig

MAX_ANSWER = 100_000
"""Maximum characters of an answer; longer answers are invalid."""
MAX_RATIONALE = 20_000
"""Maximum characters of a rationale; the API of scores has the same limit."""
MAX_EVIDENCE = 100


class InvalidAnswerError(ValueError):
    """The answer has no allowed value; the message names the fault."""

    code = ErrorCode.INVALID_ANSWER


class Answer(NamedTuple):
    """One vote of a model on a run."""

    value: bool | float | str
    rationale: str
    steps: tuple[int, ...]
    """Numbers of steps, not checked yet."""


class Findings(NamedTuple):
    """Notes of a model on one window of a run, without a value."""

    findings: str
    summary: str
    """Summary of the run up to the end of this window."""
    steps: tuple[int, ...]
    """Numbers of steps, not checked yet."""


def read_answer(text: str, config: JudgeConfig) -> Answer:
    """Return the vote in a text; raises ``InvalidAnswerError``."""
    return answer_of(object_in(text), config)


def answer_of(members: Mapping[str, Any], config: JudgeConfig) -> Answer:  # JSON values
    """Return the vote in a JSON object; raises ``InvalidAnswerError``."""
    if "value" not in members:
        raise InvalidAnswerError("the object has no value")
    rationale = members.get("rationale")
    return Answer(
        _READERS[config.form](members["value"], config),
        rationale[:MAX_RATIONALE] if isinstance(rationale, str) else "",
        _numbers(members.get("evidence")),
    )


def findings_of(members: Mapping[str, Any]) -> Findings:  # JSON values
    """Return the findings in a JSON object; raises ``InvalidAnswerError`` if it has none."""
    texts = [members.get(name) for name in ("findings", "summary")]
    findings, summary = (text[:MAX_RATIONALE] if isinstance(text, str) else "" for text in texts)
    if not findings and not summary:
        raise InvalidAnswerError("the object has neither findings nor summary")
    return Findings(findings, summary, _numbers(members.get("evidence")))


def object_in(text: str) -> Mapping[str, Any]:  # JSON values
    """Return the JSON object in a text, with or without words or a code fence around it.

    Raises ``InvalidAnswerError`` if there is none.
    """
    if len(text) > MAX_ANSWER:
        raise InvalidAnswerError(f"{len(text)} characters; at most {MAX_ANSWER} are an answer")
    begin, end = text.find("{"), text.rfind("}")
    try:
        value = orjson.loads(text[begin : end + 1]) if 0 <= begin < end else None
    except ValueError as error:  # NaN and infinity are not JSON either
        raise InvalidAnswerError("it is no JSON object") from error
    if not isinstance(value, dict):
        raise InvalidAnswerError("it is no JSON object")
    return value


def _numbers(value: object) -> tuple[int, ...]:
    if not isinstance(value, list):
        return ()
    numbers = [one for one in value if isinstance(one, int) and not isinstance(one, bool)]
    return tuple(dict.fromkeys(numbers))[:MAX_EVIDENCE]


def _category(value: object, config: JudgeConfig) -> str:
    if isinstance(value, str) and value.strip() in (config.values or ()):
        return value.strip()
    raise InvalidAnswerError(f"value {_excerpt(value)} is no category")


def _boolean(value: object, _: JudgeConfig) -> bool:
    if isinstance(value, bool):
        return value
    raise InvalidAnswerError(f"value {_excerpt(value)} is neither true nor false")


def _number(value: object, config: JudgeConfig) -> float:
    scale = config.scale
    if isinstance(value, int | float) and not isinstance(value, bool) and scale is not None:
        if scale.min <= value <= scale.max:
            return float(value)
        raise InvalidAnswerError(
            f"value {_excerpt(value)} is not between {scale.min:g} and {scale.max:g}"
        )
    raise InvalidAnswerError(f"value {_excerpt(value)} is no number")


_READERS: Mapping[str, Callable[[object, JudgeConfig], bool | float | str]] = {
    "category": _category,
    "boolean": _boolean,
    "number": _number,
}


def _excerpt(value: object) -> str:
    return repr(value)[:100]
