"""Finds the annotation schemes of a project: stored schemes first, then presets."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from spanloom.core.annotation.presets import presets
from spanloom.core.annotation.scheme_reader import SchemeReading, read_scheme
from spanloom.core.annotation.yaml_tree import Remark, SchemeError
from spanloom.core.errors import NotFoundError
from spanloom.core.model.access import Reach
from spanloom.core.ports.annotations import StoredScheme

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.annotation.scheme import Scheme
    from spanloom.core.ports.annotations import SchemeStore


class UnknownSchemeError(NotFoundError):
    """There is no scheme of this name in the project (404)."""


@lru_cache(maxsize=256)
def _parsed(text: str, name: str) -> SchemeReading:
    return read_scheme(text, name)


class Schemes:
    """Finds stored schemes and presets, and stores schemes."""

    def __init__(self, schemes: SchemeStore) -> None:
        """Use the store of schemes."""
        self._schemes = schemes

    def find(self, project: str, name: str) -> Scheme:
        """Return the newest scheme with this name; raises ``UnknownSchemeError``."""
        for stored in self._schemes.list(Reach.only(project), name):
            return _parsed(stored.text, stored.name).scheme
        if name in presets():
            return presets()[name]
        raise UnknownSchemeError(
            f"There is no scheme {name!r} in project {project!r}: put it with"
            f" PUT /v1/schemes/{{name}}, or take one of {', '.join(presets())}."
        )

    def has(self, project: str, name: str) -> bool:
        """Return whether a scheme with this name is stored or a preset."""
        return name in presets() or bool(self._schemes.list(Reach.only(project), name))

    def names(self, project: str) -> frozenset[str]:
        """Return the names of all schemes, stored and presets."""
        return frozenset(presets()) | {s.name for s in self._schemes.list(Reach.only(project))}

    def find_by_hash(self, project: str, name: str, scheme_hash: str) -> Scheme | None:
        """Return a scheme by the hash of its text; ``None`` if unknown or no longer readable."""
        stored = self._schemes.text(project, name, scheme_hash)
        try:
            scheme = _parsed(stored.text, name).scheme if stored else presets().get(name)
        except SchemeError:
            return None
        return scheme if scheme and scheme.hash == scheme_hash else None

    def put(self, project: str, name: str, text: str, put_by: str, at_us: int) -> SchemeReading:
        """Parse the text of a scheme, and store it with this name; raises ``SchemeError``."""
        reading = read_scheme(text, name)
        scheme = reading.scheme
        if scheme.name != name:
            raise SchemeError(Remark(1, "name", f"it is {scheme.name!r}, and not {name!r}"))
        self._schemes.put(StoredScheme(project, name, scheme.hash, at_us, put_by, text))
        return reading

    def listed(self, reach: Reach) -> Sequence[tuple[StoredScheme, SchemeReading]]:
        """Return the stored schemes, each with the parsed scheme and the parser's remarks."""
        return [(stored, _parsed(stored.text, stored.name)) for stored in self._schemes.list(reach)]
