"""Converts scores between formats; a score here is a row as ``POST /v1/scores`` accepts it.

Members that a format cannot express are stored in the score's metadata, so that reading restores
the same score.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from spanloom.core.formats.json_bytes import dump
from spanloom.core.formats.losses import Code
from spanloom.core.model.score import IDENTITY
from spanloom.core.scoring.otlp import DEFAULTS
from spanloom.core.scoring.results import LONGEST_NAME, LONGEST_RATIONALE, LONGEST_TEXT

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from spanloom.core.formats.json_bytes import Json
    from spanloom.core.formats.losses import Losses

    Row = Mapping[str, Any]  # a score as ``GET /v1/scores`` returns it

_LATEST_MS = 2**43
_LONGEST = {"name": LONGEST_NAME, "author": LONGEST_NAME, "rationale": LONGEST_RATIONALE}
_TEXTS = ("label", "error_code", "item", "experiment")
_TYPES: Mapping[str, type | tuple[type, ...]] = {
    **{name: type(usual) for name, usual in DEFAULTS.items() if usual is not None},
    "passed": bool,
    "cost": (int, float),
    "coverage": (int, float),
    "metrics": dict,
    "value_type": str,
    "label": str,
    "evidence": list,
}
"""Members that may be stored in a score's metadata, and their types."""


def usable(row: Row, where: str, losses: Losses) -> Json:
    """Return a row that the service accepts: value, texts and time limited to what is allowed.

    A row whose ``status`` is not ``ok`` has no value; ``value_type`` distinguishes texts from
    categories.
    """
    found = {name: value for name, value in row.items() if value not in (None, "")}
    value, kind = plain_value(found.pop("value", None))
    named = found.pop("value_type", "")
    if value is not None and found.get("status", "ok") == "ok":
        is_text = kind == "category" and named == "text"
        found |= {"value": value, "value_type": "text" if is_text else kind}
    for name, text in found.items():
        most = LONGEST_TEXT if name in _TEXTS else _LONGEST.get(name)
        if most is not None and len(text) > most:
            losses.note(Code.VALUE_TRUNCATED, f"{where}.{name}")
            found[name] = text[:most]
    found["at"] = min(max(found.get("at") or 0, 0), _LATEST_MS)
    return found


def kept_members(value: object) -> Json:
    """Return the members stored in a score's metadata, without members of invalid types."""
    if not isinstance(value, dict):
        return {}
    return {name: one for name, one in value.items() if _is_ours(name, one)}


def _is_ours(name: str, value: object) -> bool:
    kind = _TYPES.get(name)
    return kind is not None and isinstance(value, kind) and (kind is bool or value is not True)


def members_to_keep(row: Row, known: Collection[str] = ()) -> Json:
    """Return the members to store in a score's metadata: without defaults and ``known`` members.

    ``value_type`` is stored only for texts, because they look like categories.
    """
    usual = {**DEFAULTS, "source": "", "label": "", "evidence": [], "metrics": {}}
    found = {k: row.get(k, other) for k, other in usual.items() if k not in known}
    kept = {k: value for k, value in found.items() if value not in (None, usual[k])}
    return kept | ({"value_type": "text"} if row.get("value_type") == "text" else {})


def plain_value(value: Any) -> tuple[Any, str]:  # any JSON value
    """Return the value of a score and its type; lists and objects become JSON text."""
    if value is None:
        return None, "none"
    if isinstance(value, bool):
        return value, "boolean"
    if isinstance(value, int | float):
        return (value, "number") if _is_finite(value) else (None, "none")
    return (value, "category") if isinstance(value, str) else (dump(value).decode(), "text")


def _is_finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:
        return False


def same_score(row: Row, other: Row) -> bool:
    """Return whether two rows are revisions of the same score."""
    return _identity(row) == _identity(other)


def _identity(row: Row) -> tuple[Any, ...]:
    return tuple(row.get(name) or "" for name in IDENTITY)


def current(rows: Iterable[Row]) -> Sequence[Row]:
    """Return the latest revision of each score that is not withdrawn, in order of appearance."""
    found: dict[tuple[Any, ...], Row] = {}
    for row in rows:
        key = _identity(row)
        if key not in found or found[key].get("at", 0) <= row.get("at", 0):
            found[key] = row
    return [row for row in found.values() if not row.get("is_deleted")]


def moment_of(row: Row) -> int:
    """Return the time of a score in milliseconds since the epoch; 0 if unknown."""
    at = row.get("at")
    return int(at) if isinstance(at, int) or (isinstance(at, str) and at.isdecimal()) else 0
