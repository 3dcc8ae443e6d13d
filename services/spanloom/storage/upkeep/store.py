"""``Upkeep`` in ClickHouse: schema and declared columns, retention, removal of deleted rows.

Columns are only added; changing or removing a column requires a numbered migration. Rows stored
earlier have the default of the column's type. Safe to interrupt and to repeat.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.errors import PermanentError, RetryableError
from spanloom.core.records.annotation import ANNOTATION
from spanloom.core.records.declared import Stored
from spanloom.core.records.every import RECORDS
from spanloom.core.records.run import RUN
from spanloom.core.records.score import SCORE
from spanloom.logs import get_logger
from spanloom.storage.engine.connect import connector_of, is_embedded, make_tables
from spanloom.storage.engine.connection import Connection
from spanloom.storage.engine.examination import refuse_old_engine
from spanloom.storage.engine.late import LateConnection
from spanloom.storage.engine.migrate import awaited, finish, migrate
from spanloom.storage.engine.parameters import quoted
from spanloom.storage.engine.settings import UPKEEP_SETTINGS
from spanloom.storage.upkeep.datasets import remove_datasets
from spanloom.storage.upkeep.lock import LockLostError, MigrationLock, NoLock
from spanloom.storage.upkeep.reading import create_account, secure_views
from spanloom.storage.upkeep.retention import (
    keep_annotated,
    newest_deletion,
    remove_deleted,
    remove_expired,
    set_retention,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from spanloom.core.model.upkeep import Older, RetentionPlan
    from spanloom.core.records.declaration import Declaration
    from spanloom.core.records.declared import StoredSteps
    from spanloom.storage.engine.address import Where
    from spanloom.storage.engine.late import Opening


log = get_logger("keeper")
LIST = "trajectory_list"


class _View(NamedTuple):
    """A view over a table, with the columns that the table had when the view was created."""

    record: Declaration
    hidden: Sequence[str] = ()
    """Columns that the view does not show."""


VIEWS = {
    "v_trajectories": _View(RUN),
    "v_scores": _View(SCORE),
    "v_annotations": _View(ANNOTATION, ("WriteId", "BaseRevision", "UndoGroup", "IsDeleted")),
}


def declared_columns() -> Mapping[str, Mapping[str, str]]:
    """Return definitions for ``ADD COLUMN`` of all declared columns, keyed by table and column."""
    columns: dict[str, dict[str, str]] = defaultdict(dict)
    for declaration in RECORDS:
        for stored in declaration.stored:
            for table in _tables(declaration, stored):
                columns[table][stored.column] = stored.definition
    return columns


def _tables(declaration: Declaration, stored: Stored | StoredSteps) -> Sequence[str]:
    if declaration.table:
        return (declaration.table,)
    return stored.tables.value if isinstance(stored, Stored) else (LIST,)


def add_declared(
    connection: Connection, before_each: Callable[[], None] = lambda: None
) -> list[str]:
    """Add the declared columns that tables lack; return them as ``table.column``.

    ``before_each`` is called before every statement, to keep a lock alive.
    """
    declared = declared_columns()
    there: dict[str, list[str]] = defaultdict(list)
    for row in connection.rows("columns_of_tables", tables=[*declared, *VIEWS]):
        there[row.table].append(row.name)
    missing = [
        (table, name, definition)
        for table, columns in declared.items()
        for name, definition in columns.items()
        if name not in there[table]
    ]
    for table, _, definition in missing:
        before_each()
        connection.run(f"ALTER TABLE {table} ADD COLUMN IF NOT EXISTS {definition}")
    for view in VIEWS:
        _show(connection, view, there[view], before_each)
    return [f"{table}.{name}" for table, name, _ in missing]


def _show(
    connection: Connection, view: str, shown: list[str], before_each: Callable[[], None]
) -> None:
    """Create the view again if its table has a field of the record that the view lacks.

    Its FROM clause and its comment stay unchanged.
    """
    made = VIEWS[view]
    columns = [stored.column for field in made.record.fields if (stored := field.find(Stored))]
    if lacking := [column for column in columns if column not in (*shown, *made.hidden)]:
        names = ", ".join(f"`{column}`" for column in (*shown, *lacking))
        ((source, comment),) = connection.rows("view_definition", view=view)
        before_each()
        connection.run(
            f"CREATE OR REPLACE VIEW {view} AS SELECT {names} {source} COMMENT {quoted(comment)}"
        )


class ClickHouseUpkeep:
    """``Upkeep`` with its own connection."""

    def __init__(
        self, connection: Connection, lock: MigrationLock | NoLock, *, has_accounts: bool = False
    ) -> None:
        """Take over the connection; the lock excludes migrations of other processes.

        ``has_accounts`` is true for a server, whose public views other accounts may read.
        """
        self._connection = connection
        self._has_accounts = has_accounts
        self._lock = lock
        self._has_roles = not isinstance(lock, NoLock)

    def migrate(self) -> Sequence[str]:
        """See ``Upkeep.migrate``."""
        refuse_old_engine(self._connection)
        return self._locked(self._migrate)

    def _migrate(self, renew: Callable[[], None]) -> Sequence[str]:
        applied = migrate(self._connection, renew, in_phases=self._has_roles)
        applied += add_declared(self._connection, renew)
        if self._has_accounts:
            secure_views(self._connection, renew)
        return applied

    def finish_upgrade(self, quiet_s: float) -> Sequence[str]:
        """See ``Upkeep.finish_upgrade``."""
        if (older := awaited(self._connection)) is None or older.age_s < quiet_s:
            return ()
        return self._locked(lambda renew: finish(self._connection, renew))

    def awaited(self) -> Older | None:
        """See ``Upkeep.awaited``."""
        return awaited(self._connection)

    def _locked(self, act: Callable[[Callable[[], None]], Sequence[str]]) -> Sequence[str]:
        """Call ``act`` while holding the lock; if the lock is lost, acquire it and call again."""
        while True:
            try:
                with self._lock.held() as renew:
                    return act(renew)
            except LockLostError as error:
                log.warning("migrating anew", error=str(error))

    def now_ns(self) -> int:
        """See ``Upkeep.now_ns``."""
        [(_, now_ns)] = self._connection.rows("engine_state")
        return int(now_ns)

    def create_reader(self, name: str, password: str) -> None:
        """Create a server account that may only read the public views."""
        create_account(self._connection, name, password)

    def broken_parts(self) -> int:
        """See ``Upkeep.broken_parts``; 0 for an account that may not read them."""
        try:
            ((count,),) = self._connection.rows("broken_parts")
        except (PermanentError, RetryableError):
            return 0
        return int(count)

    def set_retention(self, plan: RetentionPlan) -> None:
        """See ``Upkeep.set_retention``."""
        set_retention(self._connection, plan)

    def keep_annotated(self, plan: RetentionPlan) -> int:
        """See ``Upkeep.keep_annotated``."""
        return keep_annotated(self._connection, plan)

    def remove_expired(self, plan: RetentionPlan, now_s: int) -> int:
        """See ``Upkeep.remove_expired``."""
        return remove_expired(self._connection, plan, now_s)

    def newest_deletion(self) -> str:
        """See ``Upkeep.newest_deletion``."""
        return newest_deletion(self._connection)

    def remove_deleted(self, over_before_ns: int) -> int:
        """See ``Upkeep.remove_deleted``."""
        return remove_deleted(self._connection, over_before_ns)

    def remove_datasets(self, before_us: int) -> int:
        """See ``Upkeep.remove_datasets``."""
        return remove_datasets(self._connection, before_us)

    def close(self) -> None:
        """See ``Upkeep.close``."""
        self._connection.close()


def open_upkeep(url: Where) -> ClickHouseUpkeep:
    """Open the store for the keeper, the only process that changes tables and retention.

    Raises ``StartupError`` with a one-line message if the URL is invalid or the store cannot be
    opened.
    """
    make_tables(url)
    connection = Connection(connector_of(url)(), UPKEEP_SETTINGS)
    # The directory of an embedded store is already locked.
    lock = NoLock() if is_embedded(url) else MigrationLock(connection)
    return ClickHouseUpkeep(connection, lock, has_accounts=not is_embedded(url))


def upkeep_on(opening: Opening) -> ClickHouseUpkeep:
    """Return the ``Upkeep`` of a server with any schema, which may not be reachable yet."""
    connection = LateConnection(opening, UPKEEP_SETTINGS, needs_schema=False)
    opening.make_tables()
    return ClickHouseUpkeep(connection, MigrationLock(connection), has_accounts=True)
