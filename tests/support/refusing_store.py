"""Run the command over the real store, which refuses marked requests while a file exists.

``refusing_store.py FILE …``: the engine's INSERT of a request whose body contains ``poison`` fails
as the text of ``FILE`` demands: with a data error (``data``) or with an error that may be a bug of
Spanloom (``fault``); with ``everything`` every INSERT fails. The fault is injected at the driver. A
store that accepts nothing is reported after two seconds instead of a minute.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clickhouse_connect.driver.exceptions import DatabaseError

from spanloom.__main__ import main
from spanloom.collector.spool import attempts as stall
from spanloom.storage.engine.connection import Connection

if TYPE_CHECKING:
    from collections.abc import Iterable

POISON = b"poison"
CODES = {"data": 117, "fault": 49, "everything": 49}


class MarkedClient:
    """The driver's client with the fault."""

    def __init__(self, client: Any, order: Path) -> None:
        self._client = client
        self._order = order

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    def raw_insert(self, table: str, *, insert_block: Iterable[bytes], fmt: str) -> Any:
        block = list(insert_block)
        order = self._order.read_text() if self._order.exists() else ""
        if order and (order == "everything" or any(POISON in piece for piece in block)):
            raise DatabaseError(f"Code: {CODES[order]}. injected", code=CODES[order])
        return self._client.raw_insert(table, insert_block=iter(block), fmt=fmt)


def arm(order: Path) -> None:
    """Inject the fault below ``Connection.insert_requests``."""
    works = Connection.insert_requests

    def insert_requests(self: Connection, table: str, records: Iterable[bytes]) -> None:
        client = self._client
        self._client = MarkedClient(client, order)  # type: ignore[assignment]  # quacks alike
        try:
            works(self, table, records)
        finally:
            self._client = client

    Connection.insert_requests = insert_requests  # type: ignore[method-assign]  # the fault


if __name__ == "__main__":
    stall.STALL_S = 2.0
    arm(Path(sys.argv[1]))
    del sys.argv[1]
    main()
