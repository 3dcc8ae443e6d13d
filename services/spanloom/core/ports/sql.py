"""The port for SQL from users: the engine's parser, and a connection for each statement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

from spanloom.core.errors import SpanloomError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Tree: TypeAlias = dict[str, Any]
"""A statement parsed by the engine, as JSON in the engine's own form."""


class SqlError(SpanloomError):
    """A statement cannot be answered; the client gets ClickHouse's error number and name.

    For example ``SqlError(62, "SYNTAX_ERROR", "Syntax error: failed at position 8 …")``.
    """

    def __init__(self, code: int, name: str, text: str) -> None:
        """Store the reason in the form that a client shows."""
        super().__init__(f"Code: {code}. DB::Exception: {text} ({name})")
        self.code = code
        self.name = name


@dataclass(frozen=True, slots=True)
class SqlTable:
    """A table or view of the store, with the facts that the check of a statement needs."""

    name: str
    definition: Tree | None
    """The SELECT of a view; ``None`` for a table."""
    live: str
    """The condition that excludes rows of deleted traces; empty if rows belong to no trace."""
    has_rows: bool
    """Whether it stores rows itself, unlike a view."""
    computed: Sequence[str] = ()
    """Columns that an asterisk leaves out."""

    @property
    def has_projects(self) -> bool:
        """Whether its rows belong to traces, so that a key of one project may read its own rows."""
        return bool(self.live)


class SqlFacts(NamedTuple):
    """Facts about the engine that every answer includes."""

    version: str
    display_name: str
    timezone: str


class SqlJob(NamedTuple):
    """One statement, ready to be run."""

    text: str
    format: str
    settings: Mapping[str, str]
    parameters: Mapping[str, str]
    project: str | None
    """The only project whose rows are visible; ``None`` for all projects."""
    tag: str
    """Identifies the statement for cancelling; unlike a query id, no client chooses it."""


class SqlAnswer(NamedTuple):
    """The answer to a statement, and its cost."""

    body: bytes
    rows: int
    """Number of rows in the answer."""
    rows_read: int
    bytes_read: int
    elapsed_s: float
    rows_written: int = 0
    bytes_written: int = 0


class SqlEngine(Protocol):
    """Parses and runs statements. Thread-safe; every call may raise ``SqlError``."""

    @property
    def database(self) -> str:
        """The database that the store is in."""
        ...

    @property
    def facts(self) -> SqlFacts:
        """Facts about the engine that every answer includes."""
        ...

    @property
    def tables(self) -> Mapping[str, SqlTable]:
        """Every table and view of the store, by name."""
        ...

    @property
    def system_columns(self) -> Mapping[str, Sequence[str]]:
        """The columns of each table of the database ``system``."""
        ...

    @property
    def setting_names(self) -> Sequence[str]:
        """Every setting that the engine has."""
        ...

    def parse(self, text: str) -> Tree | None:
        """Return the tree of a text's only statement; ``None`` for a kind that has no tree."""
        ...

    def write(self, tree: Tree) -> str:
        """Return the text of a tree."""
        ...

    def plain(self, text: str) -> str:
        """Return a text's only statement in the engine's formatting, without comments."""
        ...

    def run(self, job: SqlJob) -> SqlAnswer:
        """Run a statement on a separate read-only connection, and return its answer."""
        ...

    def cancel(self, tag: str) -> None:
        """Cancel the job with this tag, if it is running."""
        ...

    def close(self) -> None:
        """Close the connections that stay open between statements."""
        ...
