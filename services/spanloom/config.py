"""Every option, once: its name, default, meaning and variable.

The command line derives its flags from these fields, the environment its ``SPANLOOM_…``
variables, and ``docs/configuration.md`` its table; a test keeps the three equal.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

MIB = 1024 * 1024
GIB = 1024 * MIB


class Settings(BaseSettings):
    """What a user can set, by flag or by variable; flags win."""

    model_config = SettingsConfigDict(env_prefix="SPANLOOM_", extra="ignore", frozen=True)

    data_dir: Path = Field(Path("spanloom-data"), description="Where spool and embedded store live.")
    store_url: str = Field(
        "",
        description="The store: chdb:///path (default: inside the data directory) or "
        "clickhouse://user:password@host:8123/database.",
    )
    host: str = Field("127.0.0.1", description="The address that all ports listen on.")
    allow_remote: bool = Field(
        False,
        description="Listen on an address other than loopback although there are no keys yet.",
    )
    otlp_grpc_port: int = Field(4317, ge=0, le=65535, description="OTLP/gRPC; 0 picks a free port.")
    otlp_http_port: int = Field(4318, ge=0, le=65535, description="OTLP/HTTP; 0 picks a free port.")
    api_port: int = Field(8080, ge=0, le=65535, description="API; 0 picks a free port.")
    max_request_bytes: int = Field(
        64 * MIB, ge=1024, description="Largest export request, encoded and decoded, in bytes."
    )
    max_in_flight_bytes: int = Field(
        128 * MIB, ge=1024, description="Decoded bytes of requests being handled at one time."
    )
    spool_max_bytes: int = Field(
        8 * GIB, ge=MIB, description="Waiting bytes at which requests are refused with a retry hint."
    )
    batch_max_bytes: int = Field(
        32 * MIB, ge=1024, description="Largest batch of one INSERT, in bytes."
    )
    batch_wait_s: float = Field(
        0.5, ge=0, description="How long the writer lets a small batch grow, in seconds."
    )
    retention_days: int = Field(
        0, ge=0, description="Days after which stored data is removed; 0 keeps it."
    )
    root_quiet_s: float = Field(
        1.0, ge=0, description="A trace with a root settles after this quiet time, in seconds."
    )
    no_root_quiet_s: float = Field(
        60.0, ge=0, description="A trace without a root is built after this quiet time, in seconds."
    )
    growing_first_s: float = Field(
        30.0, gt=0, description="A growing trace is first built after this time, then doubling."
    )
    growing_max_s: float = Field(
        300.0, gt=0, description="The longest time between two builds of a growing trace."
    )
    poll_s: float = Field(0.2, gt=0, description="How often the extractor looks for changes.")
    shutdown_s: float = Field(
        10.0, ge=0, description="Time to finish open requests and drain after SIGTERM."
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        "info", description="The least important log lines to print."
    )
    log_format: Literal["auto", "console", "json"] = Field(
        "auto", description="Log lines for people or machines; auto asks the terminal."
    )
