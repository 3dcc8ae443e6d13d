"""Gives the reasons why hosts cannot be used, and examines every host of a store for them."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, NamedTuple

from clickhouse_connect.driver.exceptions import ClickHouseError

from spanloom.core.secrets import hide
from spanloom.storage.engine.failures import cause_of
from spanloom.storage.engine.hosts.client import open_client

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clickhouse_connect.driver.client import Client

    from spanloom.storage.engine.address import Host, StoreAddress

WRONG_ACCOUNT = 516
"""The error code of an account that a host does not accept."""
EMPTY = "has no tables of Spanloom"
"""The reason in the refusal of a host that has no store."""


class Refusal(NamedTuple):
    """The reason why a host is not used."""

    host: Host
    reason: str

    def __str__(self) -> str:
        """Return a sentence: ``b:8123 is of version 25.8, and 26.2 is needed``."""
        return f"{self.host} {self.reason}"


def examined(address: StoreAddress, examine: Callable[[Client], str]) -> Iterator[Refusal]:
    """Yield a refusal for each host of a store that fails the examination."""
    server = address.read()
    for host in server.hosts:
        try:
            with closing(open_client(address, server, host)) as client:
                reason = examine(client)
        except (ClickHouseError, OSError) as error:
            reason = reason_of(error)
        if reason:
            yield Refusal(host, reason)


def reason_of(error: Exception) -> str:
    """Return why a host cannot be used, without the text of the failed request."""
    code = getattr(error, "code", None)
    text = hide(str(error)).split("\n", 1)[0].partition(" (for url ")[0]
    if code == WRONG_ACCOUNT:
        return "refuses the account: its name or password is wrong"
    if code is not None:
        return f"refuses: {text.partition('DB::Exception: ')[2] or text}"[:300]
    return f"cannot be reached: {cause_of(error)}"[:300]
