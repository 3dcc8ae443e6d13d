"""Creates evaluators from mappings and callables, and checks them as a whole."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from spanloom.evaluation.code.callables import evaluator_of
from spanloom.evaluation.contract.errors import InvalidEvaluatorError
from spanloom.evaluation.contract.result import Results
from spanloom.evaluation.evaluator import Evaluator, config_hash
from spanloom.evaluation.kinds import RUNS_CODE, kind_names, load_kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

MAX_NAME = 255
"""Maximum characters of a name; the API of scores has the same limit."""
MAX_DEPTH = 64
"""Maximum levels of objects and lists in a configuration."""
MAX_VALUES = 100_000
"""Maximum values in one member of a configuration; a YAML alias counts each time."""


def make_evaluators(
    definition: object, *, allow_code: bool = False, folder: Path | None = None
) -> Sequence[Evaluator]:
    """Return the evaluators of one or several mappings or callables.

    ``allow_code`` allows evaluators that run the code of a file; paths are relative to ``folder``,
    by default the working directory. Raises ``InvalidEvaluatorError`` for an invalid definition,
    and for two scores with the same name.
    """
    several = definition if isinstance(definition, list | tuple) else [definition]
    if not several:
        raise InvalidEvaluatorError("evaluators", "there is none")
    made = []
    for at, one in enumerate(several):
        try:
            made.append(make_evaluator(one, allow_code=allow_code, folder=folder))
        except InvalidEvaluatorError as error:
            if several is not definition:
                raise
            raise error.inside(f"evaluators.{at}") from error
    _refuse_twins(made)
    return made


def make_evaluator(
    definition: object, *, allow_code: bool = False, folder: Path | None = None
) -> Evaluator:
    """Return the evaluator of a mapping or a callable; raises ``InvalidEvaluatorError``."""
    if isinstance(definition, Evaluator):
        return definition
    if callable(definition):
        return evaluator_of(definition)
    if not isinstance(definition, dict):
        raise InvalidEvaluatorError(
            "", f"an evaluator is a mapping or a callable, not {type(definition).__name__}"
        )
    kind, name = _kind_of(definition), _name_of(definition)
    config = {key: value for key, value in definition.items() if key not in {"kind", "name"}}
    if kind in RUNS_CODE and not allow_code:
        raise InvalidEvaluatorError(
            "kind",
            "it runs the code of a file, and code is not allowed here: allow_code is not set",
        )
    _refuse_deep(config)
    loaded = load_kind(kind)
    try:
        parsed = loaded.config.model_validate(config, context={"folder": folder})
    except ValidationError as error:
        raise _first_fault(error, loaded.config.model_fields) from error
    judging = loaded.make(parsed, Results(name, kind))
    plain = parsed.model_dump(mode="json", exclude_unset=True)
    return Evaluator(name, kind, plain, config_hash(kind, plain), judging)


def _kind_of(definition: Mapping[str, Any]) -> str:  # JSON values
    kind = definition.get("kind")
    if kind in kind_names():
        return str(kind)
    known = ", ".join(kind_names())
    raise InvalidEvaluatorError("kind", f"it is one of {known}, not {kind!r}")


def _name_of(definition: Mapping[str, Any]) -> str:  # JSON values
    name = definition.get("name", definition.get("kind"))
    if isinstance(name, str) and 0 < len(name) <= MAX_NAME and name.isprintable():
        return name
    raise InvalidEvaluatorError("name", f"a text of 1 to {MAX_NAME} printable characters is needed")


def _refuse_deep(config: Mapping[str, Any]) -> None:  # JSON values
    """Refuse values that are nested too deep or contain themselves."""
    for key, value in config.items():
        left, level = MAX_VALUES, [value]
        for _ in range(MAX_DEPTH + 1):
            inner: list[Any] = []
            for outer in level:
                if isinstance(outer, dict | list):
                    left -= len(outer)
                    if left < 0:
                        raise InvalidEvaluatorError(key, f"it has more than {MAX_VALUES} values")
                    inner += outer.values() if isinstance(outer, dict) else outer
            level = inner
        if level:
            raise InvalidEvaluatorError(key, f"it is nested deeper than {MAX_DEPTH} levels")


def _first_fault(error: ValidationError, known: Iterable[str]) -> InvalidEvaluatorError:
    """Return the first fault of a validation error, with its key."""
    first = error.errors()[0]
    place = ".".join(map(str, first["loc"]))
    if first["type"] != "extra_forbidden":
        return InvalidEvaluatorError(place, first["msg"].removeprefix("Value error, "))
    alike = get_close_matches(str(first["loc"][-1]), list(known), n=1)
    hint = f"; did you mean {alike[0]}?" if alike else ""
    return InvalidEvaluatorError(place, f"it is no key of this evaluator{hint}")


def _refuse_twins(made: Sequence[Evaluator]) -> None:
    names: set[str] = set()
    for at, evaluator in enumerate(made):
        for name in evaluator.judging.scores:
            if name in names:
                raise InvalidEvaluatorError(
                    f"evaluators.{at}.name",
                    f"two evaluators give the score {name}: name one of them otherwise",
                )
            names.add(name)
