"""Reads an evaluation result as the values of a score; ``placing.py`` finds its step."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal

import orjson

from spanloom.core.conventions.agent_logs import SCOPE_NAME, SERVICE_NAME
from spanloom.core.conventions.evaluations import (
    ERROR_TYPE,
    EVALUATOR,
    EXPLANATION,
    LABEL,
    NAME,
    OWN,
    RESPONSE_ID,
    TEST_PASS,
    VALUE,
)
from spanloom.core.model.score import IMPORT, MACHINES, OF_A_RUN

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from spanloom.core.model.score import Source, Status, TargetOfRun, ValueType

LONGEST_NAME = 300
LONGEST_TEXT = 512
LONGEST_RATIONALE = 20_000
"""Maximum characters of a text, as in ``POST /v1/scores``; longer texts are cut."""
SOURCES: Final[frozenset[Source]] = frozenset({*MACHINES, IMPORT})
"""The sources that a sender may name; people are not among them."""
_TARGETS: Mapping[str, TargetOfRun] = {target: target for target in OF_A_RUN}
_TRUE = frozenset({"true", "1", "1.0", "True"})
_FALSE = frozenset({"false", "0", "0.0", "False"})
_WITHOUT_VALUE: Mapping[str, Status] = {"na": "na", "skipped": "skipped"}
_MAX_COUNT, _MOST_DIGITS = 2**32 - 1, 10


@dataclass(frozen=True, slots=True)
class Result:
    """An evaluation result as it was sent."""

    name: str
    author: str
    """The evaluator that judged; empty if the result names none."""
    value_type: ValueType
    number: float | None
    text: str
    status: Status
    time_ns: int
    response_id: str = ""
    target: TargetOfRun | Literal[""] = ""
    """The kind of target that the result names; if empty, the result's span decides."""
    members: Mapping[str, Any] = field(default_factory=dict)
    """Further members of the score, keyed by name."""


def read_result(attributes: Mapping[str, str], time_ns: int) -> Result | None:
    """Return the result in the attributes of an event or span; ``None`` if it has no name."""
    if not (name := attributes.get(NAME, "").strip()):
        return None
    status, kind, number, text = _value(attributes)
    members = {
        "rationale": attributes.get(EXPLANATION, "")[:LONGEST_RATIONALE],
        "error_code": attributes.get(ERROR_TYPE, "")[:LONGEST_TEXT],
        "passed": _truth(attributes.get(TEST_PASS, "")) if status == "ok" else None,
    }
    for key, (member, read) in _OWN.items():
        if (own := attributes.get(OWN + key)) and (value := read(own)) is not None:
            members[member] = value
    return Result(
        name=name[:LONGEST_NAME],
        author=(attributes.get(EVALUATOR) or _sender(attributes))[:LONGEST_NAME],
        value_type=kind,
        number=number,
        text=text,
        status=status,
        time_ns=time_ns,
        response_id=attributes.get(RESPONSE_ID, ""),
        target=_TARGETS.get(attributes.get(f"{OWN}target", ""), ""),
        members=members,
    )


def _sender(attributes: Mapping[str, str]) -> str:
    """Return the sender of a log record: its scope or service, which the receiver has added."""
    return attributes.get(SCOPE_NAME) or attributes.get(SERVICE_NAME) or ""


def _value(attributes: Mapping[str, str]) -> tuple[Status, ValueType, float | None, str]:
    """Return status, type, number and text of a result's value.

    A failed result, or a number that is not finite, has no value.
    """
    own = attributes.get(f"{OWN}status", "")
    if attributes.get(ERROR_TYPE) or own == "error":
        return "error", "none", None, ""
    if (status := _WITHOUT_VALUE.get(own)) is not None:
        return status, "none", None, ""
    label, value = attributes.get(LABEL, ""), attributes.get(VALUE, "")
    kind = attributes.get(f"{OWN}value_type", "")
    if kind == "text":
        return "ok", "text", None, attributes.get(f"{OWN}text", "") or label
    if kind == "boolean" and (truth := _truth(value)) is not None:
        return "ok", "boolean", float(truth), label
    return _number_or_label(value, label)


def _number_or_label(value: str, label: str) -> tuple[Status, ValueType, float | None, str]:
    """Return the result of ``_value`` for a number with a label, or for a category."""
    try:
        number = float(value)
    except ValueError:
        text = label or value
        return "ok", "category" if text else "none", None, text
    return ("ok", "number", number, label) if math.isfinite(number) else ("na", "none", None, "")


def _truth(text: str) -> bool | None:
    return True if text in _TRUE else False if text in _FALSE else None


def _short(text: str) -> str:
    return text[:LONGEST_TEXT]


def _count(text: str) -> int | None:
    is_count = text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS
    return min(int(text), _MAX_COUNT) if is_count else None


def _money(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _share(text: str) -> float | None:
    number = _money(text)
    return number if number is not None and 0 <= number <= 1 else None


def _numbers(text: str) -> Mapping[str, float] | None:
    """Return the finite numbers of a JSON object; ``None`` for other text."""
    try:
        found = orjson.loads(text) if len(text) <= LONGEST_RATIONALE else None
    except ValueError:
        return None
    if not isinstance(found, dict):
        return None
    numbers = {key: float(value) for key, value in found.items() if type(value) in (int, float)}
    return {key: value for key, value in numbers.items() if math.isfinite(value)}


def _list(text: str) -> str | None:
    """Return the text unchanged if it is a JSON list, else ``None``."""
    if len(text) > LONGEST_RATIONALE:
        return None
    try:
        return text if isinstance(orjson.loads(text), list) else None
    except ValueError:
        return None


_OWN: Mapping[str, tuple[str, Callable[[str], Any]]] = {
    "source": ("source", lambda text: text if text in SOURCES else IMPORT),
    "passed": ("passed", _truth),
    "is_complete": ("is_complete", _truth),
    "error_code": ("error_code", _short),
    "evidence": ("evidence", _list),
    "evaluator_version": ("evaluator_version", _short),
    "config_hash": ("config_hash", _short),
    "rule_id": ("rule_id", _short),
    "experiment": ("experiment", _short),
    "item": ("item", _short),
    "repeat": ("repeat", _count),
    "judged_version": ("judged_version", _count),
    "input_tokens": ("input_tokens", _count),
    "output_tokens": ("output_tokens", _count),
    "cost": ("cost", _money),
    "view_fingerprint": ("view_fingerprint", _short),
    "coverage": ("coverage", _share),
    "cached": ("cached", _truth),
    "metrics": ("metrics", _numbers),
}
"""Spanloom's own attributes, without prefix: the score's member, and a function to read it."""
