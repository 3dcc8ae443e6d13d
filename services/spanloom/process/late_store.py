"""Opens the connections to a ClickHouse server that may be down when the process starts."""

from __future__ import annotations

from threading import Thread
from typing import TYPE_CHECKING

from spanloom.core.errors import StoreUnavailableError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.outage import Outage
    from spanloom.storage.engine.connection import Connection
    from spanloom.storage.engine.late import Opening

FIRST_S = 2.0
"""Seconds that a start waits for a server that neither answers nor refuses the connection."""


class LateStore:
    """A ``Part`` that fails as soon as the store proves unusable by this version of Spanloom.

    A store that is down is not a failure: each connection opens at its first successful call.
    """

    name = "store"

    def __init__(self, opening: Opening, connections: Sequence[Connection], outage: Outage) -> None:
        """Open ``connections`` with ``opening``; failures are reported to ``outage``."""
        self._opening = opening
        self._connections = connections
        self._outage = outage

    @property
    def failed(self) -> BaseException | None:
        """See ``Part``."""
        return self._opening.unusable

    @property
    def trouble(self) -> str:
        """See ``Troubled``."""
        return self._outage.trouble()

    def start(self) -> None:
        """Open all connections if the store can be reached.

        Raises ``SchemaTooNewError`` or another error of a store that cannot be used.
        """
        attempt = Thread(target=self._connect, name=self.name, daemon=True)
        attempt.start()
        attempt.join(FIRST_S)
        if self._opening.unusable is not None:
            raise self._opening.unusable

    def stop(self, grace_s: float) -> None:
        """See ``Part``; the owners of the connections close them."""

    def _connect(self) -> None:
        try:
            for connection in self._connections:
                connection.connect()
        except StoreUnavailableError:
            return  # each component that needs the store reports it
