"""Opens a client to one host, with its timeouts and its pool of connections."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import clickhouse_connect
from clickhouse_connect.driver.httputil import check_env_proxy, get_pool_manager
from urllib3 import Timeout

if TYPE_CHECKING:
    from clickhouse_connect.driver.client import Client
    from urllib3 import PoolManager

    from spanloom.storage.engine.address import Host, Server, StoreAddress

SILENT_S = 30
"""Seconds without data until the client gives up a host; a working host reports progress."""
_SILENT_WITHOUT_PROGRESS_S = 300
MUTATION_S = 3600
"""The limit in place of ``SILENT_S`` for a connection of the keeper, in seconds.

The server reports no progress while a statement waits for a mutation, and repeating an abandoned
statement would queue the mutation a second time. TCP still detects a machine that is down.
"""


def open_client(
    address: StoreAddress, server: Server, host: Host, pool: PoolManager | None = None
) -> Client:
    """Open a client to one host; raises the driver's errors."""
    has_password = bool(server.password)
    client = clickhouse_connect.get_client(
        host=host.name,
        port=host.port,
        secure=server.is_secure,
        username=server.user,
        password=server.password,
        database=server.database or None,
        connect_timeout=max(1, round(address.connect_s)),
        send_receive_timeout=SILENT_S,
        query_retries=0,
        pool_mgr=pool or pool_of(address, server, host),
        client_cert=str(address.cert_file) if address.cert_file and server.is_secure else None,
        tls_mode="strict" if has_password else "mutual",
    )
    backend = client._backend  # type: ignore[attr-defined]  # noqa: SLF001  # not public
    if backend.progress_interval is None:  # an account with readonly = 1 cannot ask for progress
        wait_for(client, _SILENT_WITHOUT_PROGRESS_S)
    return client


def wait_for(client: Client, silent_s: float) -> None:
    """Set the seconds without data after which a client gives up a host."""
    backend = client._backend  # type: ignore[attr-defined]  # noqa: SLF001  # not public
    backend.timeout = Timeout(connect=backend.timeout.connect_timeout, read=silent_s)


def pool_of(address: StoreAddress, server: Server, host: Host) -> PoolManager:
    """Return a pool of connections, which reads the TLS files whenever it opens a connection."""
    scheme = "https" if server.is_secure else "http"
    options: dict[str, Any] = {}
    if proxy := check_env_proxy(scheme, host.name, host.port):
        options[f"{scheme}_proxy"] = proxy
    if server.is_secure:
        named = (
            ("ca_cert", address.ca_file),
            ("client_cert", address.cert_file),
            ("client_cert_key", address.key_file),
        )
        options |= {name: str(file) for name, file in named if file}
    pool: PoolManager = get_pool_manager(**options)
    return pool
