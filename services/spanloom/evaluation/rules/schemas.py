"""Checks values against JSON Schemas of users and of telemetry, within limits.

``jsonschema`` checks, with RE2 patterns and without remote references. Work is limited, because a
schema of a few hundred characters can require any number of comparisons.
"""

from __future__ import annotations

from contextvars import ContextVar
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import jsonschema
from jsonschema import validators
from jsonschema.exceptions import UnknownType, ValidationError
from referencing import Registry
from referencing.exceptions import Unresolvable

from spanloom.core.formats.json_bytes import dump
from spanloom.evaluation.contract.errors import TooLargeError
from spanloom.evaluation.rules.facts import canonical_value
from spanloom.evaluation.rules.patterns import compile_pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    Keyword = Callable[[Any, Any, Any, Any], Iterator[ValidationError] | None]
    """Yields the faults of an instance: ``(validator, value of the keyword, instance, schema)``."""

MAX_SCHEMA = 1 << 18
"""Maximum bytes of a schema as JSON."""
MAX_WORK = 50_000
"""Maximum keywords checked for one value; on a list or object a keyword counts once per item."""
_EMPTY: Registry[Any] = Registry()
_work: ContextVar[Work] = ContextVar("work")
"""The remaining work for the value that is being checked."""
_UNREADABLE = (UnknownType, Unresolvable)
_ODD = (AttributeError, TypeError, ValueError, KeyError, RecursionError, OverflowError)


class UnreadableSchemaError(ValueError):
    """The schema is invalid or unsupported; the message gives the reason."""


def check_schema(schema: Mapping[str, Any]) -> None:  # a JSON Schema
    """Raise ``UnreadableSchemaError`` for a schema that is invalid in its draft."""
    if (size := len(dump(schema))) > MAX_SCHEMA:
        raise UnreadableSchemaError(f"a schema of {size} bytes; at most {MAX_SCHEMA} are checked")
    try:
        _draft(schema).check_schema(schema)
    except jsonschema.SchemaError as error:
        place = "/".join(map(str, error.path))
        raise UnreadableSchemaError(f"{place or 'it'}: {error.message[:200]}") from error
    except RecursionError as error:
        raise UnreadableSchemaError("it is nested too deep") from error
    for pattern in _patterns(schema):
        try:
            compile_pattern(pattern)
        except ValueError as error:
            raise UnreadableSchemaError(str(error)) from error


class Work:
    """Counts down the keywords that may still be checked, for one value or for several."""

    def __init__(self, left: int = MAX_WORK) -> None:
        """Start with a number of keywords."""
        self.left = left

    def take(self, count: int) -> None:
        """Subtract a number of keywords; raises ``TooLargeError`` if too few are left."""
        self.left -= count
        if self.left < 0:
            raise TooLargeError("checking values against their schemas takes too much work")


def first_fault(schema: Mapping[str, Any], value: object, work: Work) -> str:  # a JSON Schema
    """Return a description of the first fault of a value; empty if the value is valid.

    The schema has at most ``MAX_SCHEMA`` bytes. Raises ``UnreadableSchemaError``, or
    ``TooLargeError`` if the remaining work is too little.
    """
    token = _work.set(work)
    try:
        validator = _bounded(_draft(schema))(schema, registry=_EMPTY)
        fault = next(iter(validator.iter_errors(value)), None)
    except _UNREADABLE as error:
        raise UnreadableSchemaError(str(error)[:200]) from error
    except _ODD as error:
        raise UnreadableSchemaError(f"{type(error).__name__}: {error}"[:200]) from error
    finally:
        _work.reset(token)
    if fault is None:
        return ""
    place = "/".join(map(str, fault.absolute_path))
    return f"{place[:100]}: {fault.message[:200]}" if place else fault.message[:200]


def _draft(schema: Mapping[str, Any]) -> Any:  # a class of validators
    return validators.validator_for(schema, default=jsonschema.Draft202012Validator)


@lru_cache(maxsize=16)
def _bounded(draft: Any) -> Any:  # classes of validators
    """Return the validator of a draft with RE2 patterns and counted keywords."""
    keywords = draft.VALIDATORS | {
        name: keyword for name, keyword in _OURS.items() if name in draft.VALIDATORS
    }
    counted = {name: _counted(keyword) for name, keyword in keywords.items()}
    return validators.extend(draft, counted)  # type: ignore[no-untyped-call]


def _counted(keyword: Keyword) -> Keyword:
    def check(
        validator: Any, value: Any, instance: Any, schema: Any
    ) -> Iterator[ValidationError] | None:
        _work.get().take(1 + _size(value) + _size(instance))
        return keyword(validator, value, instance, schema)

    return check


def _size(value: object) -> int:
    return len(value) if isinstance(value, list | dict) else 0


def _patterns(schema: object) -> Iterator[str]:
    """Yield every regular expression in a schema, at any depth.

    These are the values of ``pattern`` and the keys of ``patternProperties``. Texts that only look
    like one, as in an ``enum``, are included.
    """
    waiting = [schema]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            if isinstance(pattern := value.get("pattern"), str):
                yield pattern
            if isinstance(by_pattern := value.get("patternProperties"), dict):
                yield from by_pattern
            waiting += value.values()
        elif isinstance(value, list):
            waiting += value


def _pattern(_: Any, value: Any, instance: Any, __: Any) -> Iterator[ValidationError]:
    if isinstance(instance, str) and not compile_pattern(value)(instance):
        yield ValidationError(f"{instance[:80]!r} does not match {value!r}")


def _pattern_properties(
    validator: Any, value: Any, instance: Any, _: Any
) -> Iterator[ValidationError]:
    if isinstance(instance, dict):
        for pattern, schema in value.items():
            matches = compile_pattern(pattern)
            for key, item in instance.items():
                if matches(key):
                    yield from validator.descend(item, schema, path=key, schema_path=pattern)


def _additional_properties(
    validator: Any, value: Any, instance: Any, schema: Any
) -> Iterator[ValidationError]:
    """Yield the faults of unexpected members in the order of the members, unlike the library."""
    if not isinstance(instance, dict):
        return
    known = schema.get("properties", {})
    patterns = [compile_pattern(pattern) for pattern in schema.get("patternProperties", {})]
    for key, item in instance.items():
        if key in known or any(matches(key) for matches in patterns):
            continue
        if isinstance(value, dict):
            yield from validator.descend(item, value, path=key)
        elif not value:
            yield ValidationError(f"{key!r} is not allowed")


def _unique_items(_: Any, value: Any, instance: Any, __: Any) -> Iterator[ValidationError]:
    if value and isinstance(instance, list):
        items = {canonical_value(item) for item in instance}
        if len(items) < len(instance):
            yield ValidationError("it has equal items")


def _unevaluated(*_: Any) -> Iterator[ValidationError]:
    raise UnreadableSchemaError("unevaluatedProperties is not supported")


_OURS: Mapping[str, Keyword] = {
    "pattern": _pattern,
    "patternProperties": _pattern_properties,
    "additionalProperties": _additional_properties,
    "uniqueItems": _unique_items,
    "unevaluatedProperties": _unevaluated,
}
