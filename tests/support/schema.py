"""A program: prints the schema of the store at a URL as text, for comparison."""

from __future__ import annotations

import re
import sys
from contextlib import closing
from typing import TYPE_CHECKING

from spanloom.storage.engine.connect import open_unchecked

if TYPE_CHECKING:
    from spanloom.storage.engine.connection import Connection

_DEFINITIONS = """
SELECT database, formatQuery(create_table_query)
FROM system.tables
WHERE database = currentDatabase() AND name != 'schema_migration_lock'
ORDER BY name
"""
_SETTINGS = re.compile(r"^SETTINGS (.*)$", re.MULTILINE)


def schema_of(connection: Connection) -> str:
    """Return the CREATE statements of tables and views by name, without the database name."""
    rows = connection._client.query(_DEFINITIONS).result_rows
    return "\n\n".join(_normal(database, text) for database, text in rows) + "\n"


def _normal(database: str, definition: str) -> str:
    text = re.sub(rf"\b{database}\.(?=\w)", "", definition)
    return _SETTINGS.sub(lambda found: "SETTINGS " + ", ".join(sorted(found[1].split(", "))), text)


def main() -> None:
    """Print the schema of a store."""
    with closing(open_unchecked(sys.argv[1])) as connection:
        sys.stdout.write(schema_of(connection))


if __name__ == "__main__":
    main()
