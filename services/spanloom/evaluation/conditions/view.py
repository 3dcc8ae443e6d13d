"""Finds the data of a run that a condition reads, from the columns in the SQL of its fields.

A column that is not listed here makes the view the whole run, which at worst causes an unnecessary
judgement.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spanloom.core.query.where.fields import Subject
from spanloom.core.query.where.reads import fields_read, steps_of
from spanloom.core.query.where.tree import And, Chain, Not, Or, Under, searches_words
from spanloom.core.records.declared import FieldType
from spanloom.core.records.run import RUN
from spanloom.core.records.step import STEP
from spanloom.evaluation.contract.view import WHOLE, Part

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from collections.abc import Set as AbstractSet

    from spanloom.core.query.where.reads import FieldRead
    from spanloom.core.query.where.tree import Condition
    from spanloom.core.records.declared import Queried

_ORDER = {Part.TYPES, Part.TIMES}
_CALLS = {Part.TYPES, Part.NAMES, Part.ARGUMENTS, Part.TIMES}
_OF_COLUMN: Mapping[str, AbstractSet[Part]] = {
    "RootName": {Part.NAMES},
    "StartTimeUnixNano": {Part.TIMES},
    "DurationNs": {Part.TIMES},
    "InputTokens": {Part.TOKENS},
    "OutputTokens": {Part.TOKENS},
    "ModelDurationNs": {Part.TOKENS},
    "ToolDurationNs": {Part.TOKENS},
    "AgentNames": {Part.TYPES, Part.NAMES, Part.METADATA},
    "ToolErrors": {Part.TYPES, Part.ERRORS},
    "ModelErrors": {Part.TYPES, Part.ERRORS},
    "LongestRepeat": _CALLS,
    "MostRepeats": _CALLS,
    "Attributes": {Part.METADATA, Part.RUN},
}
_OF_EXTRACTION = frozenset(
    {
        *("TraceId", "Project", "Version", "Status", "RootType", "HasError", "Outcome"),
        *("Failures", "AgentSteps", "ModelSteps", "ToolSteps", "GraphSteps", "OtherSpans"),
        *("SpanCount", "Cost", "Dialects", "DuplicateOf", "ConversationId", "Models"),
        *("Services", "Environment", "Release", "UserId", "Tags", "ErrorType"),
        *("ErrorMessage", "ReasoningTokens", "CacheReadTokens", "Warnings"),
    }
)
_OF_ITEM: Mapping[str, AbstractSet[Part]] = {
    "Type": {Part.TYPES},
    "Name": {Part.NAMES},
    "Owner": {Part.NAMES},
    "Place": _ORDER,
    "StartNs": {Part.TIMES},
    "DurationNs": {Part.TIMES},
    "Model": {Part.METADATA},
    "Cost": {Part.METADATA},
    "Attributes": {Part.METADATA},
    "InputTokens": {Part.TOKENS},
    "OutputTokens": {Part.TOKENS},
    "FirstTokenMs": {Part.TOKENS},
    "HasError": {Part.ERRORS},
    "ErrorCode": {Part.ERRORS},
    "ErrorMessage": {Part.ERRORS},
    "ErrorType": {Part.ERRORS, Part.METADATA},
    "Args": {Part.TYPES, Part.NAMES, Part.ARGUMENTS},
}
_TEXTS: AbstractSet[Part] = {Part.INPUTS, Part.OUTPUTS, Part.ERRORS, *_ORDER}
_NAMES = re.compile(r"Steps\.(\w+)|\bStep([A-Z]\w*)|\b([A-Z]\w*[a-z]\w*)")
"""An array of steps, one item of the array, or a column of a run; SQL keywords are all capitals."""
_FIELDS: Mapping[Subject, Mapping[str, Queried]] = {
    Subject.RUN: {queried.name: queried for queried in RUN.queried},
    Subject.STEP: {queried.name: queried for queried in STEP.queried},
}


def view_of(where: Condition) -> AbstractSet[Part]:
    """Return the kinds of data that a condition reads."""
    parts: set[Part] = set()
    for read in fields_read(where):
        parts |= _of_field(read)
    if searches_words(where):
        parts |= _TEXTS
    for one in _shapes(where):
        parts |= {Part.PARENTS} if isinstance(one, Under) else _ORDER
    return frozenset(parts)


def _of_field(read: FieldRead) -> AbstractSet[Part]:
    if read.field.is_judgement or read.field.type is FieldType.WORDS:
        return frozenset()
    queried = _FIELDS[read.subject][read.field.name]
    parts: set[Part] = set()
    for array, item, column in _NAMES.findall(f"{queried.sql} {queried.is_there}"):
        if array or item:
            parts |= _OF_ITEM.get(array or item, WHOLE)
        else:
            parts |= {Part.RUN} if column in _OF_EXTRACTION else _OF_COLUMN.get(column, WHOLE)
    return parts


def _shapes(where: Condition) -> Iterator[Chain | Under]:
    match where:
        case And(parts) | Or(parts):
            for part in parts:
                yield from _shapes(part)
        case Not(part):
            yield from _shapes(part)
        case Chain() if len(steps_of(where)) > 1:
            yield where
        case Under():
            yield where
