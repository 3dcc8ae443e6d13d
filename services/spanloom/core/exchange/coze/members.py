"""Reads single values from a Coze Loop trajectory; numbers may be strings, values may be missing.

Every function raises ``InvalidRequestError`` with the path of a value that it cannot read.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from spanloom.core.conventions.imported import TOKEN_COUNTS
from spanloom.core.errors import InvalidRequestError
from spanloom.core.exchange.drafts import usage_of
from spanloom.core.formats.json_bytes import TOO_DEEP, TooDeepError, dump
from spanloom.core.formats.readers import a_list, an_object, kind_of
from spanloom.core.model.step import NO_CODE, StepError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanloom.core.formats.json_bytes import Json
    from spanloom.core.model.step import Usage

_LATENCY = "latency_first_resp"
_LARGEST = 2**53
_CODES = 2**31


def text_of(value: object, where: str) -> str:
    """Return a value as text: texts unchanged, ``null`` as an empty text, others as JSON."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    try:
        return dump(value).decode()
    except (TooDeepError, RecursionError):
        raise InvalidRequestError(f"{where}: {TOO_DEEP}") from None


def object_in(step: Json, name: str, where: str) -> Json:
    """Return a member that is an object; an empty one if it is missing or ``null``."""
    value = step.get(name)
    return {} if value is None else an_object(value, f"{where}.{name}".lstrip("."))


def objects_in(step: Json, name: str, where: str) -> list[Json]:
    """Return a member that is a list of objects; an empty one if it is missing or ``null``."""
    place = f"{where}.{name}".lstrip(".")
    value = step.get(name)
    listed = [] if value is None else a_list(value, place)
    return [an_object(one, f"{place}.{at}") for at, one in enumerate(listed)]


def number_in(members: Json, name: str, where: str) -> int | None:
    """Return a whole number that may be written as text; ``None`` if it is missing or empty."""
    value = members.get(name)
    if value is None or value == "":
        return None
    try:
        if isinstance(value, bool):
            raise ValueError
        number = float(value)
        if not math.isfinite(number) or abs(number) > _LARGEST:
            raise ValueError
    except (TypeError, ValueError, OverflowError):
        raise InvalidRequestError(f"{where}.{name}: a number is needed here") from None
    return int(number)


def time_in(info: Json, name: str, where: str) -> int | None:
    """Return a time or duration in ms, which must not be negative; ``None`` if it is missing."""
    number = number_in(info, name, where)
    if number is not None and number < 0:
        raise InvalidRequestError(f"{where}.{name}: milliseconds are needed here, from 0")
    return number


def metadata_of(step: Json, where: str) -> dict[str, str]:
    """Return the metadata of a step; values other than strings become JSON text."""
    found = object_in(step, "metadata", where)
    return {name: text_of(value, f"{where}.metadata.{name}") for name, value in found.items()}


def error_of(info: Json, metadata: Mapping[str, str], where: str) -> StepError | None:
    """Return the error of a step; ``None`` if there is none, or for code 0 without a message."""
    error = object_in(info, "error", where)
    place = f"{where}.error"
    code = number_in(error, "code", place)
    message = text_of(error.get("msg"), f"{place}.msg")
    if not code and not message:
        return None
    code = NO_CODE if code is None else code
    if not -_CODES <= code < _CODES:
        raise InvalidRequestError(f"{place}.code: a number of 32 bits is needed here")
    type_, reported_by = (metadata.get(name, "") for name in ("error_type", "error_told_by"))
    return StepError(code, message, type_, reported_by=reported_by)


def usage_in(info: Json, where: str) -> Usage:
    """Return the token counts in ``model_info``; missing and negative counts become 0."""
    return usage_of(number_in(info, name, where) for name in TOKEN_COUNTS)


def first_token_in(info: Json, where: str) -> float | None:
    """Return the milliseconds until the first token; ``None`` if they are unknown."""
    found = time_in(info, _LATENCY, where)
    return None if found is None else float(found)


def source_id_in(members: Json, where: str) -> str:
    """Return the id of a step, a string or number, as text; empty if there is none."""
    value: Any = members.get("id")
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, bool) or not isinstance(value, int):
        raise InvalidRequestError(f"{where}id: a string is needed here, not {kind_of(value)}")
    return str(value)
