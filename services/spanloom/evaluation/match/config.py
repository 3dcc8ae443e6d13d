"""The configuration of the evaluator kind ``match``."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal, TypeAlias, get_args

from pydantic import BaseModel, ConfigDict, Field, PlainSerializer, PlainValidator

from spanloom.evaluation.contract.errors import InvalidEvaluatorError
from spanloom.evaluation.subject.calls import Of  # noqa: TC001  # read at runtime

Mode: TypeAlias = Literal["strict", "exact", "in_order", "unordered", "subset", "superset"]
ArgsMode: TypeAlias = Literal["exact", "ignore", "subset", "superset"]
Matcher: TypeAlias = Callable[[Any, Any], bool]
"""Returns whether the actual arguments match the reference arguments."""
Override: TypeAlias = ArgsMode | list[str] | Matcher
ARGS_MODES: tuple[ArgsMode, ...] = get_args(ArgsMode)
OF_LIBRARIES = frozenset({"strict", "unordered", "subset", "superset"})
"""The modes that the libraries in ``compat`` have."""


def _override(value: object) -> object:
    is_paths = isinstance(value, list) and all(isinstance(path, str) for path in value)
    if value in ARGS_MODES or is_paths or callable(value):
        return value
    raise ValueError(
        f"a mode ({', '.join(ARGS_MODES)}) or a list of paths such as trip.id is needed,"
        f" not {value!r}"[:300]
    )


def _plain(value: Any) -> Any:  # a mode, paths or a function
    """Return an override as JSON; a function becomes its name and the hash of its source."""
    if not callable(value):
        return value
    name = f"{value.__module__}:{getattr(value, '__qualname__', type(value).__qualname__)}"
    try:
        source = inspect.getsource(value)
    except (OSError, TypeError):  # typed into a shell, or no function
        return name
    return f"{name}:{hashlib.sha256(source.encode()).hexdigest()}"


class MatchConfig(BaseModel):
    """Which calls of a run are compared with the reference, and how."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    mode: Mode = Field("strict", description="How the calls and the reference are to agree.")
    of: Of = Field("ran", description="Which calls of the run.")
    args: ArgsMode = Field("exact", description="How arguments are compared.")
    overrides: Mapping[str, Annotated[Any, PlainValidator(_override), PlainSerializer(_plain)]] = (
        Field({}, description="How those of one tool are: a mode, or dotted paths.")
    )
    retries: Literal["once", "count"] = Field(
        "once", description="Whether a failed call counts if the same call follows it."
    )
    compat: Literal["agentevals", "openevals"] | None = Field(
        None, description="The library whose answers are given, faults included."
    )


def check_compat(config: MatchConfig) -> None:
    """Raise ``InvalidEvaluatorError`` for options that the library in ``compat`` lacks."""
    if config.mode not in OF_LIBRARIES:
        known = ", ".join(sorted(OF_LIBRARIES))
        raise InvalidEvaluatorError("mode", f"{config.compat} has {known}, not {config.mode}")
    for key in ("of", "retries"):
        if getattr(config, key) != MatchConfig.model_fields[key].default:
            raise InvalidEvaluatorError(key, f"{config.compat} has no such choice")
