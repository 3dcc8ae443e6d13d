"""Checks values of a file that contains MLflow traces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from spanloom.core.errors import InvalidRequestError
from spanloom.core.exchange.mlflow.texts import read_value
from spanloom.core.formats.json_bytes import TOO_DEEP, TooDeepError, dump
from spanloom.core.formats.losses import Code
from spanloom.core.formats.readers import kind_of

if TYPE_CHECKING:
    from spanloom.core.formats.losses import Losses

_LAST_NS = 2**63 - 1


def parsed(value: object, where: str) -> Any:  # any JSON value
    """Return a JSON value; a text is parsed as JSON.

    Raises ``InvalidRequestError`` for invalid JSON.
    """
    if not isinstance(value, str):
        return value
    try:
        return orjson.loads(value)
    except ValueError as error:
        raise InvalidRequestError(f"{where}: no JSON: {error}") from None


def encoded(value: object, where: str) -> str:
    """Return a value as JSON text; raises ``InvalidRequestError`` if it is nested too deeply."""
    try:
        return dump(value).decode()
    except TooDeepError:
        raise InvalidRequestError(f"{where}: {TOO_DEEP}") from None


def text_of(attribute: object, where: str, losses: Losses) -> str:
    """Return the text of an attribute's value, with lone surrogates replaced.

    Raises ``InvalidRequestError`` for a value that cannot be written as JSON.
    """
    try:
        text = read_value(attribute)
    except TooDeepError:
        raise InvalidRequestError(f"{where}: {TOO_DEEP}") from None
    return sound(text, where, losses)


def sound(text: str, where: str, losses: Losses) -> str:
    """Return a text with lone surrogates replaced."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        losses.note(Code.VALUE_TRUNCATED, where)
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def nanoseconds(value: object, where: str) -> int:
    """Return a time in nanoseconds, which newer versions write as text.

    Raises ``InvalidRequestError`` for anything else.
    """
    is_digits = isinstance(value, str) and value.isascii() and value.isdecimal()
    if isinstance(value, int) and not isinstance(value, bool):
        number = value
    elif is_digits and len(str(value)) <= len(str(_LAST_NS)):
        number = int(str(value))
    else:
        shown = "another text" if isinstance(value, str) else kind_of(value)
        raise InvalidRequestError(f"{where}: a time in nanoseconds is needed here, not {shown}")
    if not 0 <= number <= _LAST_NS:
        raise InvalidRequestError(f"{where}: no time that a span can have")
    return number
