"""The rule ``arguments``: arguments of tool calls match the schemas of the offered tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal

from spanloom.core.values.attributes import json_value
from spanloom.core.values.python_repr import as_json
from spanloom.evaluation.contract.view import Part
from spanloom.evaluation.rules.rule import (
    ORDER,
    NotApplicableError,
    Rule,
    Verdict,
    evidence_of,
    named,
    times,
)
from spanloom.evaluation.rules.schemas import (
    MAX_WORK,
    UnreadableSchemaError,
    Work,
    first_fault,
)
from spanloom.evaluation.subject.offered import offered_in

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanloom.core.document import DocumentStep
    from spanloom.evaluation.rules.facts import Facts
    from spanloom.evaluation.rules.rule import Check

Schema = dict[str, Any]
_MAX_REPR = 1 << 16
"""Maximum characters of arguments that are parsed as a Python repr."""
_WORK_OF_CALL = 20
"""Schema keywords that may be checked for each call: about as many as a tool's schema needs."""


def _by_schema(_: Literal["schema"]) -> Check:
    return _check


def _check(facts: Facts) -> Verdict:
    offered = _offered(facts)
    wrong: list[DocumentStep] = []
    rationale: list[str] = []
    warnings: dict[str, None] = {}
    checked = 0
    work = Work(MAX_WORK + _WORK_OF_CALL * len(facts.tools))
    for step in facts.tools:
        if (schema := offered.get(step.name)) is None:
            continue
        try:
            fault = first_fault(schema, _arguments(step, schema), work)
        except UnreadableSchemaError as error:
            warnings[f"schema of {step.name[:80]}: {error}"] = None
            continue
        checked += 1
        if fault:
            wrong.append(step)
            rationale.append(f"{step.name}: {fault}")
    if not checked:
        raise NotApplicableError("no tool that ran has a schema in the run")
    metrics = {"checked": float(checked), "unchecked": float(len(facts.tools) - checked)}
    if wrong:
        summary = (
            f"{times(len(wrong), 'call')} with arguments that do not fit: {named(rationale, 3)}"
        )
        return Verdict(False, summary, evidence_of(wrong, "input"), metrics, list(warnings))
    summary = f"the arguments of {times(checked, 'call')} fit their schemas"
    return Verdict(True, summary, (), metrics, list(warnings))


def _arguments(step: DocumentStep, schema: Schema) -> object:
    """Return a call's arguments; a bare value becomes the only argument that the schema has."""
    if not step.input:
        return {}
    value = json_value(step.input)
    if isinstance(value, str) and step.input.startswith(("{", "[")):
        value = json_value(as_json(step.input[:_MAX_REPR]))
    properties = schema.get("properties")
    if not isinstance(value, dict) and isinstance(properties, dict) and len(properties) == 1:
        return {next(iter(properties)): value}
    return value


def _offered(facts: Facts) -> Mapping[str, Schema]:
    """Return the schemas of tools, keyed by name; the earliest if a tool has several."""
    tools = offered_in((facts.top, *facts.agents, *facts.models))
    return {tool.name: dict(tool.schema) for tool in tools.values() if tool.schema is not None}


ARGUMENTS: Final = Rule(Literal["schema"], _by_schema, ORDER | {Part.ARGUMENTS, Part.METADATA})
