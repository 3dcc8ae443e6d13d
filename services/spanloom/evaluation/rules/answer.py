"""The rule ``answer``: the answer of a run is not empty, and meets the configured conditions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final

import orjson
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, field_validator

from spanloom.core.formats.parts import MAX_WHOLE
from spanloom.core.messages.texts import answer_in
from spanloom.evaluation.contract.errors import TooLargeError
from spanloom.evaluation.contract.result import Evidence
from spanloom.evaluation.contract.view import Part
from spanloom.evaluation.rules.patterns import compile_pattern
from spanloom.evaluation.rules.rule import (
    ORDER,
    NotApplicableError,
    Rule,
    Verdict,
    named,
)
from spanloom.evaluation.rules.schemas import UnreadableSchemaError, Work, check_schema, first_fault

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanloom.evaluation.rules.facts import Facts
    from spanloom.evaluation.rules.rule import Check

MAX_JSON = 1 << 20
"""Maximum characters of an answer that is checked against a schema."""


def _listed(value: object) -> object:
    return [value] if isinstance(value, str) else value


class Answer(BaseModel):
    """Conditions on an answer, besides not being empty."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    not_empty: bool = True
    matches: str | None = None
    json_schema: dict[str, Any] | None = None
    contains: Annotated[list[str], BeforeValidator(_listed), Field(max_length=100)] = []

    @field_validator("matches")
    @classmethod
    def _is_pattern(cls, value: str | None) -> str | None:
        if value is not None:
            compile_pattern(value)
        return value

    @field_validator("json_schema")
    @classmethod
    def _is_schema(cls, value: dict[str, Any] | None) -> dict[str, Any] | None:
        if value is not None:
            check_schema(value)
        return value


def _options(value: object) -> object:
    return {} if value is True or value == "not_empty" else value


def _answer(required: Answer) -> Check:
    def check(facts: Facts) -> Verdict:
        top = facts.top
        if not top.output and not any(s.input or s.output for s in (top, *facts.steps)):
            raise NotApplicableError("the texts of the run were not captured")
        answer = answer_in(top.output, MAX_WHOLE)
        evidence = [Evidence(step_id=top.id, field="output")]
        faults = list(_faults(required, answer))
        if faults:
            return Verdict(False, f"the answer {'; it '.join(faults)}", evidence)
        return Verdict(True, "the answer is as asked", evidence)

    return check


def _faults(required: Answer, answer: str) -> Iterator[str]:
    if required.not_empty and not answer.strip():
        yield "is empty"
        return
    if required.matches is not None and not compile_pattern(required.matches)(answer):
        yield f"does not match {required.matches[:80]}"
    if missing := [text for text in required.contains if text not in answer]:
        yield f"does not contain {named(missing)}"
    if required.json_schema is not None and (fault := _unfit(required.json_schema, answer)):
        yield fault


def _unfit(schema: dict[str, Any], answer: str) -> str:
    if len(answer) > MAX_JSON:
        raise TooLargeError(f"the answer is longer than {MAX_JSON} characters")
    try:
        value = orjson.loads(answer)
    except ValueError:
        return "is no JSON"
    try:
        fault = first_fault(schema, value, Work())
    except UnreadableSchemaError as error:
        raise TooLargeError(f"the answer cannot be checked against the schema: {error}") from error
    return f"does not fit the schema: {fault}" if fault else ""


ANSWER: Final = Rule(
    Annotated[Answer, BeforeValidator(_options)], _answer, ORDER | {Part.INPUTS, Part.OUTPUTS}
)
