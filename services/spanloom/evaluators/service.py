"""Stores evaluators; a changed definition is stored as a new version."""

from __future__ import annotations

from itertools import groupby
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from spanloom.core.errors import ConflictError, NotFoundError
from spanloom.core.model.experiment import StoredEvaluator
from spanloom.evaluation.contract.errors import InvalidEvaluatorError
from spanloom.evaluation.making import make_evaluator, make_evaluators

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.ports.experiments import EvaluatorStore
    from spanloom.evaluation.evaluator import Evaluator

MOST_EVALUATORS = 1_000
"""Maximum evaluators of a project."""
_MOST_TRIES = 20
"""Maximum attempts to store a version, if other processes take its number first."""


class UnknownEvaluatorError(NotFoundError):
    """The project has no such evaluator (404)."""


class EvaluatorRefusedError(ConflictError):
    """The project has too many evaluators, or the change conflicts with other changes (409)."""


class VersionedEvaluator(NamedTuple):
    """A stored evaluator with its versions; the last one is current."""

    project: str
    name: str
    kind: str
    config: Mapping[str, Any]  # JSON values
    """The definition of the current version, including name and kind."""
    versions: Sequence[StoredEvaluator]


class ChosenEvaluator(NamedTuple):
    """An evaluator that is ready to judge, and its definition."""

    made: Evaluator
    config: Mapping[str, Any]  # JSON values
    stored_version: int = 0
    """The version of the stored evaluator; 0 if the definition was in the request."""


class Evaluators:
    """The stored evaluators of projects; thread-safe."""

    def __init__(self, store: EvaluatorStore) -> None:
        """Use a store."""
        self._store = store
        self._lock = Lock()

    def listed(self, project: str) -> Sequence[VersionedEvaluator]:
        """Return the evaluators of a project, sorted by name."""
        found = groupby(self._store.list(project), key=lambda one: one.name)
        return [_versioned(project, list(versions)) for _, versions in found]

    def get(self, project: str, name: str) -> VersionedEvaluator:
        """Return an evaluator; raises ``UnknownEvaluatorError``."""
        if versions := self._store.list(project, name):
            return _versioned(project, versions)
        raise UnknownEvaluatorError(
            f"There is no evaluator {name!r} in project {project!r}: put it first."
        )

    def put(self, project: str, name: str, definition: object, put_by: str) -> VersionedEvaluator:
        """Store an evaluator, as a new version if its definition has changed; return it.

        Raises ``InvalidEvaluatorError``, and ``EvaluatorRefusedError`` if the project already has
        ``MOST_EVALUATORS``.
        """
        config = _named(definition, name)
        made = make_evaluator(config)
        text = orjson.dumps(config, option=orjson.OPT_SORT_KEYS).decode()
        new = StoredEvaluator(name, 0, made.config_hash, text, put_by)
        with self._lock:
            for _ in range(_MOST_TRIES):
                versions = self._store.list(project, name)
                if versions and versions[-1].config_hash == new.config_hash:
                    return _versioned(project, versions)
                if not versions:
                    self._refuse_more(project)
                new = new._replace(version=len(versions) + 1)
                self._store.add(project, new)
        raise EvaluatorRefusedError(f"{name!r} is changed by others all the time: put it again.")

    def choose(self, project: str, definitions: Sequence[object]) -> Sequence[ChosenEvaluator]:
        """Return the evaluators for definitions and names, ``NAME`` or ``NAME@VERSION``.

        Raises ``InvalidEvaluatorError``, also for an unknown name.
        """
        places = [self._found(project, at, one) for at, one in enumerate(definitions)]
        made = make_evaluators([config for config, _ in places])
        return [
            ChosenEvaluator(one, config, version)
            for one, (config, version) in zip(made, places, strict=True)
        ]

    def _found(self, project: str, at: int, definition: object) -> tuple[Mapping[str, Any], int]:
        if isinstance(definition, dict):
            return definition, 0
        if not isinstance(definition, str):
            raise InvalidEvaluatorError(f"evaluators.{at}", "it is neither a mapping nor a name")
        name, sign, number = definition.partition("@")
        versions = self._store.list(project, name) if name else ()
        matching = [one for one in versions if not sign or str(one.version) == number]
        if not matching:
            raise InvalidEvaluatorError(
                f"evaluators.{at}", f"project {project!r} has no evaluator {definition!r}"
            )
        return orjson.loads(matching[-1].config), matching[-1].version

    def _refuse_more(self, project: str) -> None:
        if len({one.name for one in self._store.list(project)}) >= MOST_EVALUATORS:
            raise EvaluatorRefusedError(f"The project has {MOST_EVALUATORS:,} evaluators already.")


def _named(definition: object, name: str) -> dict[str, Any]:
    """Return a definition with its name; raises ``InvalidEvaluatorError`` for another name."""
    if not isinstance(definition, dict):
        raise InvalidEvaluatorError("", "an evaluator is a mapping, such as {kind: match}")
    if definition.get("name", name) != name:
        raise InvalidEvaluatorError("name", f"it is put as {name!r}: leave the name out")
    return {**definition, "name": name}


def _versioned(project: str, versions: Sequence[StoredEvaluator]) -> VersionedEvaluator:
    last = versions[-1]
    config: dict[str, Any] = orjson.loads(last.config)
    return VersionedEvaluator(project, last.name, str(config.get("kind", "")), config, versions)
