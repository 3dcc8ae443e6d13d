"""Options of every process: where it listens, how it stops and what it logs."""

from __future__ import annotations

import ipaddress
from pathlib import Path  # noqa: TC003  # pydantic reads it
from typing import Literal

from pydantic import ByteSize, Field
from pydantic_settings import SettingsConfigDict

from spanloom.config.section import GIB, MIB, SectionSettings


class NetworkSettings(SectionSettings):
    """Where the process listens."""

    model_config = SettingsConfigDict(title="Network")

    host: str = Field("127.0.0.1", description="The address that all ports listen on.")
    insecure: bool = Field(
        False,
        description="Listen on a non-loopback address without keys: anyone who reaches it can "
        "read and write.",
    )
    tls_cert: Path | None = Field(
        None,
        description="PEM file with the certificate and its chain: every port speaks TLS. Read "
        "again when it changes.",
    )
    tls_key: Path | None = Field(None, description="PEM file with the certificate's key.")
    tls_client_ca: Path | None = Field(
        None,
        description="PEM file with the authority whose certificates senders must have (mTLS); "
        "the API asks for none.",
    )
    api_port: int = Field(
        8080, ge=0, le=65535, description="API, health and metrics; 0 picks a free port."
    )
    api_hosts: str = Field(
        "",
        description="Host names that the API accepts besides localhost and addresses, and the "
        "HTTP receiver while there are no keys; separated by commas, * for any.",
    )
    mcp: bool = Field(
        False,
        description="Let agents query /mcp of the API, over the Model Context Protocol "
        "(docs/mcp.md); needs `pip install 'spanloom[mcp]'`.",
    )


class SqlSettings(SectionSettings):
    """The SQL port, and the limits of a statement."""

    model_config = SettingsConfigDict(title="SQL port")

    sql_port: int | None = Field(
        None,
        ge=0,
        le=65535,
        description="ClickHouse's HTTP interface over the embedded store, for reading (usually "
        "8123); 0 picks a free port (default: no such port).",
    )
    sql_queries: int = Field(
        2, ge=1, le=64, description="Statements executed at one time; others wait."
    )
    sql_query_s: float = Field(30.0, gt=0, description="Time limit of one statement.")
    sql_query_memory: ByteSize = Field(
        ByteSize(GIB), ge=16 * MIB, description="Memory limit of one statement."
    )


class ProcessSettings(SectionSettings):
    """Shutdown and logging."""

    model_config = SettingsConfigDict(title="Process")

    shutdown_s: float = Field(
        10.0, ge=0, description="Time to finish open requests and drain after SIGTERM."
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        "info", description="The least important log lines to print."
    )
    quiet: bool = Field(
        False, description="Log only warnings and errors, not senders and received amounts."
    )
    log_format: Literal["auto", "console", "json"] = Field(
        "auto", description="Log lines for people or machines; auto depends on the terminal."
    )


def is_loopback(host: str) -> bool:
    """Return whether an address is reachable from this machine only."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
