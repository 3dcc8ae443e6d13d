"""The rule on arguments of tools: they fit the schemas with which models were offered the tools."""

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
    named,
    shown,
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
"""Characters of arguments that are read as Python's notation."""
_WORK_OF_CALL = 20
"""Work that each call of a long run adds: about what the schema of a tool takes."""


def _by_schema(_: Literal["schema"]) -> Check:
    return _check


def _check(facts: Facts) -> Verdict:
    offered = _offered(facts)
    wrong: list[DocumentStep] = []
    said: list[str] = []
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
            said.append(f"{step.name}: {fault}")
    if not checked:
        raise NotApplicableError("no tool that ran has a schema in the run")
    metrics = {"checked": float(checked), "unchecked": float(len(facts.tools) - checked)}
    if wrong:
        told = f"{times(len(wrong), 'call')} with arguments that do not fit: {named(said, 3)}"
        return Verdict(False, told, shown(wrong, "input"), metrics, list(warnings))
    told = f"the arguments of {times(checked, 'call')} fit their schemas"
    return Verdict(True, told, (), metrics, list(warnings))


def _arguments(step: DocumentStep, schema: Schema) -> object:
    """Return the arguments of a call; a single one may have been written bare."""
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
    """Return the schemas of tools by name; of several the first in time."""
    tools = offered_in((facts.top, *facts.agents, *facts.models))
    return {tool.name: dict(tool.schema) for tool in tools.values() if tool.schema is not None}


ARGUMENTS: Final = Rule(Literal["schema"], _by_schema, ORDER | {Part.ARGUMENTS, Part.METADATA})
