"""The errors that the SQL port reports, as exceptions."""

from __future__ import annotations

import re

from spanloom.client.errors import ClientError
from spanloom.core.showing.values import point_at

_PLACE = re.compile(r"failed at position (\d+)")


class SqlError(ClientError):
    """A statement failed on the SQL port, for example because it took too long."""

    def __init__(self, code: int, name: str, said: str, statement: str = "") -> None:
        """Keep ClickHouse's error code and name; its message is put on one line."""
        super().__init__(f"SQL {code} {name}: {' '.join(said.split())}")
        self.code, self.name, self.statement = code, name, statement
        place = _PLACE.search(said)
        self.position = int(place[1]) - 1 if place else None
        """Where parsing the statement failed, in bytes from 0; ``None`` if not reported."""


class StatementError(SqlError):
    """A statement cannot be parsed, or is not allowed on the SQL port; shown with its place."""

    def __str__(self) -> str:
        """Write the reason, and below it the line of the statement with a caret."""
        said = super().__str__()
        if self.position is None:
            return said
        before = self.statement.encode()[: self.position].decode(errors="replace")
        return "\n".join([said, *(f"  {line}" for line in point_at(self.statement, len(before)))])
