"""The interface for hiding rows from the queries of a connection, passed in when it is opened."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from collections.abc import Set as AbstractSet

    from spanloom.storage.engine.parameters import Row


class Queries(Protocol):
    """A connection that runs named queries."""

    def rows(self, name: str, **parameters: object) -> Iterator[Row]:
        """Run a named query and return its rows."""


class Hiding(Protocol):
    """Decides which rows a query must not see; one object serves all connections of a store."""

    @property
    def may_hide(self) -> bool:
        """Whether there may be rows to hide."""

    def narrowed(
        self, connection: Queries, parameters: Mapping[str, object]
    ) -> Mapping[str, object]:
        """Return the parameters of a query without the traces that are hidden."""

    def conditions(self, name: str, parameters: Mapping[str, object]) -> Mapping[str, str]:
        """Return the conditions on visible rows, keyed by table, for a query and its parameters."""

    def deleted_among(
        self, connection: Queries, keys: Iterable[tuple[str, str]]
    ) -> AbstractSet[tuple[str, str]]:
        """Return the hidden traces among the ``keys``, each as project and trace id."""


class NothingHidden:
    """``Hiding`` for a connection whose queries see every row."""

    may_hide = False

    def narrowed(
        self, connection: Queries, parameters: Mapping[str, object]
    ) -> Mapping[str, object]:
        """See ``Hiding.narrowed``."""
        del connection
        return parameters

    def conditions(self, name: str, parameters: Mapping[str, object]) -> Mapping[str, str]:
        """See ``Hiding.conditions``."""
        del name, parameters
        return {}

    def deleted_among(
        self, connection: Queries, keys: Iterable[tuple[str, str]]
    ) -> AbstractSet[tuple[str, str]]:
        """See ``Hiding.deleted_among``."""
        del connection, keys
        return frozenset()
