"""The port for SQL from users: parses statements with ClickHouse, and runs them read-only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

from spanloom.core.errors import SpanloomError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Tree: TypeAlias = dict[str, Any]
"""A statement parsed by ClickHouse, as JSON in ClickHouse's form."""


class SqlError(SpanloomError):
    """A statement is invalid or fails; the client gets ClickHouse's error number and name.

    For example ``SqlError(62, "SYNTAX_ERROR", "Syntax error: failed at position 8 …")``.
    """

    def __init__(self, code: int, name: str, text: str) -> None:
        """Store number and name of the error, and the text that a client shows."""
        super().__init__(f"Code: {code}. DB::Exception: {text} ({name})")
        self.code = code
        self.name = name


@dataclass(frozen=True, slots=True)
class SqlTable:
    """A table or view of the store, with the data needed to check a statement."""

    name: str
    definition: Tree | None
    """The SELECT of a view; ``None`` for a table."""
    live: str
    """The condition that excludes rows of deleted traces; empty if rows belong to no trace."""
    has_rows: bool
    """Whether the table stores rows itself; ``False`` for a view."""
    computed: Sequence[str] = ()
    """Columns that ``SELECT *`` does not include."""

    @property
    def has_projects(self) -> bool:
        """Whether rows belong to traces, so that a key with one project may read its rows."""
        return bool(self.live)


class SqlFacts(NamedTuple):
    """Data about ClickHouse that every response includes."""

    version: str
    display_name: str
    timezone: str


class SqlJob(NamedTuple):
    """One checked statement, with everything that is needed to run it."""

    text: str
    format: str
    settings: Mapping[str, str]
    parameters: Mapping[str, str]
    project: str | None
    """The only project whose rows are visible; ``None`` for all projects."""
    tag: str
    """Identifies the statement for cancelling; unlike a query id, no client chooses it."""


class SqlAnswer(NamedTuple):
    """The result of a statement, and its cost."""

    body: bytes
    rows: int
    """Number of rows in the result."""
    rows_read: int
    bytes_read: int
    elapsed_s: float
    rows_written: int = 0
    bytes_written: int = 0


class SqlEngine(Protocol):
    """Parses and runs statements. Thread-safe; every call may raise ``SqlError``."""

    @property
    def database(self) -> str:
        """The name of the database that contains the store."""
        ...

    @property
    def facts(self) -> SqlFacts:
        """Data about ClickHouse that every response includes."""
        ...

    @property
    def tables(self) -> Mapping[str, SqlTable]:
        """Every table and view of the store, keyed by name."""
        ...

    @property
    def system_columns(self) -> Mapping[str, Sequence[str]]:
        """The columns of each table in the database ``system``."""
        ...

    @property
    def setting_names(self) -> Sequence[str]:
        """The names of all ClickHouse settings."""
        ...

    def parse(self, text: str) -> Tree | None:
        """Parse the only statement in a text; ``None`` if ClickHouse has no tree for its kind."""
        ...

    def write(self, tree: Tree) -> str:
        """Return a parsed statement as SQL text."""
        ...

    def plain(self, text: str) -> str:
        """Return the only statement in a text as ClickHouse formats it, without comments."""
        ...

    def run(self, job: SqlJob) -> SqlAnswer:
        """Run a statement on a separate read-only connection, and return the result."""
        ...

    def cancel(self, tag: str) -> None:
        """Cancel the job with this tag, if it is running."""
        ...

    def close(self) -> None:
        """Close the connections that stay open between statements."""
        ...
