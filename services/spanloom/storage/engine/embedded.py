"""Opens connections to the embedded engine; the first one reads its settings for all of them.

clickhouse-connect reads all 1,400 settings of a server for each connection, which takes 20 ms of
CPU time, and a process opens seven. Those of one engine are the same.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from spanloom.storage.engine.loading import load_engine
from spanloom.storage.engine.own_answers import with_own_answers

if TYPE_CHECKING:
    from clickhouse_connect.driver.client import Client


def connect_embedded(place: str) -> Client:
    """Open a connection to a directory, whose options may follow after a question mark."""
    load_engine()
    client: Client = _client_type()(path=place)
    return with_own_answers(client)


@cache
def _client_type() -> type[Any]:
    """Return the client's class, whose module loads the engine."""
    from clickhouse_connect.driver._chdbclient import ChdbClient  # noqa: PLC0415

    class EmbeddedClient(ChdbClient):
        """A client that starts with the settings that the first one has read.

        A later release in which these methods have other names reads them each time again.
        """

        _read: Any = None

        def _init_common_settings(self, *how: Any) -> None:
            if EmbeddedClient._read is None:
                super()._init_common_settings(*how)
            else:
                self._apply_init_result(EmbeddedClient._read)

        def _apply_init_result(self, result: Any) -> None:
            EmbeddedClient._read = result
            super()._apply_init_result(result)

    return EmbeddedClient
