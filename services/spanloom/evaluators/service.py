"""Stores evaluators: a changed one is a new version, the same again changes nothing."""

from __future__ import annotations

from itertools import groupby
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from spanloom.core.errors import PermanentError
from spanloom.core.model.experiment import StoredEvaluator
from spanloom.evaluation.contract.errors import InvalidEvaluatorError
from spanloom.evaluation.making import make_evaluator, make_evaluators

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.ports.experiments import EvaluatorStore
    from spanloom.evaluation.evaluator import Evaluator

MOST_EVALUATORS = 1_000
"""The most evaluators of a project."""
_MOST_TRIES = 20
"""Numbers that a new version tries, each taken by another process meanwhile."""


class UnknownEvaluatorError(PermanentError):
    """The project has no such evaluator (404)."""


class EvaluatorRefusedError(PermanentError):
    """There is no room for another evaluator (409)."""


class KeptEvaluator(NamedTuple):
    """An evaluator with its versions; the last one counts."""

    project: str
    name: str
    kind: str
    config: Mapping[str, Any]  # JSON values
    """Its mapping, name and kind among the keys."""
    versions: Sequence[StoredEvaluator]


class ChosenEvaluator(NamedTuple):
    """An evaluator that is ready to judge, and what it was made of."""

    made: Evaluator
    config: Mapping[str, Any]  # JSON values
    stored_version: int = 0
    """Of the stored evaluator that was named; 0: it was written out."""


class Evaluators:
    """Keeps the evaluators of projects; thread-safe."""

    def __init__(self, store: EvaluatorStore) -> None:
        """Keep them in a store."""
        self._store = store
        self._lock = Lock()

    def listed(self, project: str) -> Sequence[KeptEvaluator]:
        """Return the evaluators of a project by name."""
        found = groupby(self._store.list(project), key=lambda one: one.name)
        return [_kept(project, list(versions)) for _, versions in found]

    def get(self, project: str, name: str) -> KeptEvaluator:
        """Return an evaluator; raises ``UnknownEvaluatorError``."""
        if versions := self._store.list(project, name):
            return _kept(project, versions)
        raise UnknownEvaluatorError(
            f"There is no evaluator {name!r} in project {project!r}: put it first."
        )

    def put(self, project: str, name: str, given: object, put_by: str) -> KeptEvaluator:
        """Store an evaluator; the same again changes nothing, another one is a new version.

        Raises ``InvalidEvaluatorError``, and ``EvaluatorRefusedError`` if there are
        ``MOST_EVALUATORS``.
        """
        config = _named(given, name)
        made = make_evaluator(config)
        text = orjson.dumps(config, option=orjson.OPT_SORT_KEYS).decode()
        wanted = StoredEvaluator(name, 0, made.config_hash, text, put_by)
        with self._lock:
            for _ in range(_MOST_TRIES):
                versions = self._store.list(project, name)
                if versions and versions[-1].config_hash == wanted.config_hash:
                    return _kept(project, versions)
                if not versions:
                    self._refuse_more(project)
                wanted = wanted._replace(version=len(versions) + 1)
                self._store.add(project, wanted)
        raise EvaluatorRefusedError(f"{name!r} is changed by others all the time: put it again.")

    def choose(self, project: str, given: Sequence[object]) -> Sequence[ChosenEvaluator]:
        """Return evaluators of mappings and of names, ``NAME`` or ``NAME@VERSION``.

        Raises ``InvalidEvaluatorError``, also for a name that there is none of.
        """
        places = [self._found(project, at, one) for at, one in enumerate(given)]
        made = make_evaluators([config for config, _ in places])
        return [
            ChosenEvaluator(one, config, version)
            for one, (config, version) in zip(made, places, strict=True)
        ]

    def _found(self, project: str, at: int, given: object) -> tuple[Mapping[str, Any], int]:
        if isinstance(given, dict):
            return given, 0
        if not isinstance(given, str):
            raise InvalidEvaluatorError(f"evaluators.{at}", "it is neither a mapping nor a name")
        name, sign, number = given.partition("@")
        versions = self._store.list(project, name) if name else ()
        wanted = [one for one in versions if not sign or str(one.version) == number]
        if not wanted:
            raise InvalidEvaluatorError(
                f"evaluators.{at}", f"project {project!r} has no evaluator {given!r}"
            )
        return orjson.loads(wanted[-1].config), wanted[-1].version

    def _refuse_more(self, project: str) -> None:
        if len({one.name for one in self._store.list(project)}) >= MOST_EVALUATORS:
            raise EvaluatorRefusedError(f"The project has {MOST_EVALUATORS:,} evaluators already.")


def _named(given: object, name: str) -> dict[str, Any]:
    """Return a mapping with its name; raises ``InvalidEvaluatorError`` for another name in it."""
    if not isinstance(given, dict):
        raise InvalidEvaluatorError("", "an evaluator is a mapping, such as {kind: match}")
    if given.get("name", name) != name:
        raise InvalidEvaluatorError("name", f"it is put as {name!r}: leave the name out")
    return {**given, "name": name}


def _kept(project: str, versions: Sequence[StoredEvaluator]) -> KeptEvaluator:
    last = versions[-1]
    config: dict[str, Any] = orjson.loads(last.config)
    return KeptEvaluator(project, last.name, str(config.get("kind", "")), config, versions)
