"""Parses the rules of a configuration or of a dataset item."""

from __future__ import annotations

from difflib import get_close_matches
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from spanloom.evaluation.contract.errors import InvalidEvaluatorError
from spanloom.evaluation.rules.registry import RULES

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.evaluation.rules.rule import Check, Rule


class _Options(BaseModel):
    """A rule with options: a mapping with the key ``value``."""

    model_config = ConfigDict(extra="forbid")

    value: Any
    severity: Literal["error", "warn"] = "error"
    per: Literal["run", "agent"] = "run"


class ReadyRule(NamedTuple):
    """A rule, and the check for its configured value."""

    name: str
    rule: Rule[Any]
    check: Check
    is_warning: bool
    is_per_agent: bool


def read_rules(config: Mapping[str, Any]) -> Sequence[ReadyRule]:  # JSON values
    """Return the rules in the order of the registry; raises ``InvalidEvaluatorError``."""
    for name in config:
        if name not in RULES:
            alike = get_close_matches(str(name), list(RULES), n=1)
            hint = f"did you mean {alike[0]}?" if alike else f"there are {', '.join(RULES)}"
            raise InvalidEvaluatorError(str(name), f"there is no such rule; {hint}")
    return [_read(name, rule, config[name]) for name, rule in RULES.items() if name in config]


def _read(name: str, rule: Rule[Any], config: object) -> ReadyRule:
    has_options = isinstance(config, dict) and "value" in config
    try:
        options = _Options.model_validate(config if has_options else {"value": config})
    except ValidationError as error:
        raise _fault(error, name) from error
    try:
        value = _adapter(name).validate_python(options.value)
        check = rule.make(value)
    except ValidationError as error:
        raise _fault(error, f"{name}.value" if has_options else name) from error
    except ValueError as error:
        raise InvalidEvaluatorError(name, str(error)) from error
    return ReadyRule(name, rule, check, options.severity == "warn", options.per == "agent")


@cache
def _adapter(name: str) -> TypeAdapter[Any]:
    return TypeAdapter(RULES[name].value)


def _fault(error: ValidationError, place: str) -> InvalidEvaluatorError:
    first = error.errors()[0]
    inside = ".".join(str(part) for part in first["loc"] if not str(part).endswith("]"))
    reason = first["msg"].removeprefix("Value error, ")
    return InvalidEvaluatorError(f"{place}.{inside}" if inside else place, reason)
