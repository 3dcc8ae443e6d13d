"""The definition of every option: name, default, meaning, section and environment variable.

Flags, ``SPANLOOM_…`` environment variables and the table of ``docs/configuration.md`` are derived
from these fields; tests keep the three equal. Each section is a class; ``Settings`` combines them
all, flat.
"""

from __future__ import annotations

import ipaddress
import os
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pydantic import ByteSize, Field, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from spanloom.core.errors import SpanloomError
from spanloom.storage.engine.address import FORM, StoreAddress, parse_server

if TYPE_CHECKING:
    from collections.abc import Mapping

MIB = 1024 * 1024
GIB = 1024 * MIB
VARIABLE_PREFIX = "SPANLOOM_"


class OptionError(SpanloomError):
    """An option or variable has an invalid value; the message is one line."""


class SectionSettings(BaseSettings):
    """The options of one subject; the title is their heading in help and documentation."""

    model_config = SettingsConfigDict(
        env_prefix=VARIABLE_PREFIX, extra="ignore", frozen=True, title="Options"
    )


class StoreSettings(SectionSettings):
    """Location and retention of data."""

    model_config = SettingsConfigDict(title="Data and store")

    data_dir: Path = Field(
        Path("spanloom-data"),
        description="Directory of the spool and the embedded store; one process owns it.",
    )
    store_url: str = Field(
        "",
        description="The store: chdb:///path (default: inside the data directory) or "
        "clickhouse://user:password@host:8123/database (clickhouses:// for TLS); several hosts "
        "with commas between are tried in turn.",
    )
    store_url_file: Path | None = Field(
        None,
        description="File with the store's URL, instead of --store-url. This and the next four "
        "files are read at each connect.",
    )
    store_password_file: Path | None = Field(
        None, description="File with the password of the server's account."
    )
    store_ca_file: Path | None = Field(
        None,
        description="PEM file with the authority of the server's certificate (default: the "
        "system's).",
    )
    store_cert_file: Path | None = Field(
        None,
        description="PEM file with the client certificate and its chain for the server; without a "
        "password it also determines the account.",
    )
    store_key_file: Path | None = Field(
        None, description="PEM file with the key of --store-cert-file."
    )
    store_connect_s: float = Field(
        3.0, ge=1, le=60, description="Timeout for connecting to a host of the server."
    )
    retention_days: int = Field(
        0,
        ge=0,
        description="Days after which stored data is removed; 0 keeps it. "
        "Only the keeper applies it (serve, keeper).",
    )
    span_retention_days: int | None = Field(
        None, ge=0, description="Like --retention-days, for spans only, from their acceptance."
    )
    trajectory_retention_days: int | None = Field(
        None,
        ge=0,
        description="Like --retention-days, for trajectories only, since they were stored.",
    )
    retention_file: Path | None = Field(
        None,
        description="TOML file with retention of single projects, read again when it changes "
        "(default: retention.toml in the data directory).",
    )
    expire_annotated: bool = Field(
        False,
        description="Let retention also remove annotated trajectories; without it they stay.",
    )
    deletion_days: int = Field(
        30,
        ge=1,
        description="Days for which arriving spans of a deleted trace are deleted too.",
    )
    finish_upgrade_s: float = Field(
        86_400.0,
        ge=0,
        description="The keeper of a server ends an upgrade this long after the last sign of an "
        "older release; older releases are refused from then on.",
    )

    @property
    def is_embedded(self) -> bool:
        """Whether the store is the engine inside this process."""
        return self.resolved_store_url.is_embedded

    @property
    def resolved_retention_file(self) -> Path:
        """The file with retention periods by project; by default in the data directory."""
        return self.retention_file or self.data_dir / "retention.toml"

    @property
    def resolved_store_url(self) -> StoreAddress:
        """The store's URL, by default of the embedded store, with its password and TLS files."""
        if self.store_url_file:
            url = ""
        else:
            url = self.store_url or f"chdb://{self.data_dir.absolute() / 'store'}"
        return StoreAddress(
            url,
            self.store_url_file,
            self.store_password_file,
            self.store_ca_file,
            self.store_cert_file,
            self.store_key_file,
            self.store_connect_s,
        )


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


class ReceivingSettings(SectionSettings):
    """Ports and limits of the collector, and its batches to the store."""

    model_config = SettingsConfigDict(title="Receiving")

    otlp_grpc_port: int = Field(4317, ge=0, le=65535, description="OTLP/gRPC; 0 picks a free port.")
    otlp_http_port: int = Field(4318, ge=0, le=65535, description="OTLP/HTTP; 0 picks a free port.")
    max_request_bytes: ByteSize = Field(
        ByteSize(64 * MIB), ge=1024, description="Largest export request, encoded and decoded."
    )
    max_in_flight_bytes: ByteSize = Field(
        ByteSize(128 * MIB),
        ge=1024,
        description="Decoded bytes of requests being handled at one time.",
    )
    project_spans_per_s: float = Field(
        0, ge=0, description="Spans that one project may send in a second; 0: no limit."
    )
    project_bytes_per_s: ByteSize = Field(
        ByteSize(0),
        ge=0,
        description="Decoded bytes that one project may send in a second; 0: no limit.",
    )
    project_stored_bytes: ByteSize = Field(
        ByteSize(0),
        ge=0,
        description="Bytes that one project may have stored, before compression; 0: no limit.",
    )
    limits_file: Path | None = Field(
        None,
        description="TOML file with limits of single projects, read again when it changes "
        "(docs/security.md).",
    )
    spool_max_bytes: ByteSize = Field(
        ByteSize(8 * GIB),
        ge=MIB,
        description="Bytes in the spool at which requests are refused with a retry hint.",
    )
    min_free_bytes: ByteSize | None = Field(
        None,
        ge=0,
        description="Free space on the data directory's disk below which requests are refused with "
        "a retry hint (default: 2 GiB, or 5 % of a disk of less than 40 GiB); 0: never.",
    )
    batch_max_bytes: ByteSize = Field(
        ByteSize(32 * MIB), ge=1024, description="Largest batch of one INSERT."
    )
    batch_wait_s: float = Field(
        0.5, ge=0, description="How long the writer lets a small batch grow."
    )


class RedactionSettings(SectionSettings):
    """Redaction of spans before anything is written."""

    model_config = SettingsConfigDict(title="Redaction")

    redaction_rules: Path | None = Field(
        None,
        description="TOML file of rules: what to drop, hash or mask, by attribute key or "
        "recogniser (docs/security.md).",
    )
    redaction_secret_file: Path | None = Field(
        None, description="File with the secret that keys the hashes; at least 16 bytes."
    )
    no_content: bool = Field(
        False,
        description="Store no message content: inputs, outputs, messages, tool arguments and "
        "results, documents, prompts, error texts.",
    )


class ExtractingSettings(SectionSettings):
    """When a trace becomes a trajectory."""

    model_config = SettingsConfigDict(title="Extracting")

    root_quiet_s: float = Field(
        0.5, ge=0, description="A trace with a root settles after this time without spans."
    )
    no_root_quiet_s: float = Field(
        60.0, ge=0, description="A trace without a root is built after this time without spans."
    )
    growing_first_s: float = Field(
        1.0,
        gt=0,
        description="A growing trace is shown after this time, then after ever longer ones, when "
        "it has grown by a quarter; one of thousands of spans later.",
    )
    growing_max_s: float = Field(
        30.0,
        gt=0,
        description="A fast-growing trace is shown again after this time at the latest.",
    )
    poll_s: float = Field(
        1.0,
        gt=0,
        description="How often the extractor looks for changes: half as long again after a look "
        "that found few, sooner if it found nothing to build and a trace settles before.",
    )


class BuildingSettings(SectionSettings):
    """Inputs and worker processes of the building of trajectories."""

    model_config = SettingsConfigDict(title="Building")

    extract_workers: int | None = Field(
        None,
        ge=0,
        le=256,
        description="Processes that build trajectories when much is due, started as they are "
        "needed: cores minus one by default, but two on two cores. 0 builds in the process itself "
        "(docs/performance.md).",
    )

    max_trace_spans: int = Field(
        1_000_000,
        ge=1,
        description="Spans of one trace that its trajectory is built from; if it has more, the "
        "root and the earliest spans. All stay stored.",
    )
    prices_file: Path | None = Field(
        None,
        description="TOML file with prices of models, which override the built-in prices "
        "(docs/costs.md).",
    )


class SearchingSettings(SectionSettings):
    """Full-text search."""

    model_config = SettingsConfigDict(title="Searching")

    no_search: bool = Field(
        False,
        description="Keep no index of step texts, and refuse searches (docs/search.md): "
        "the index takes as much CPU time as writing trajectories.",
    )


class AlertSettings(SectionSettings):
    """Where alerts may be sent, and the address in their links."""

    model_config = SettingsConfigDict(title="Alerts")

    alert_private: bool = Field(
        False,
        description="Let alerts be sent to loopback and private addresses "
        "(docs/evaluation/alerts.md).",
    )
    public_url: str = Field(
        "",
        description="Public address of API and page, for links in alerts (default: the API's "
        "address).",
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


class Settings(
    StoreSettings,
    NetworkSettings,
    SqlSettings,
    ReceivingSettings,
    RedactionSettings,
    ExtractingSettings,
    BuildingSettings,
    SearchingSettings,
    AlertSettings,
    ProcessSettings,
):
    """Every option a user can set, by flag or by variable; flags win."""


SECTIONS: tuple[type[SectionSettings], ...] = (
    StoreSettings,
    NetworkSettings,
    SqlSettings,
    ReceivingSettings,
    RedactionSettings,
    ExtractingSettings,
    BuildingSettings,
    SearchingSettings,
    AlertSettings,
    ProcessSettings,
)


def flag_of(name: str) -> str:
    """Return the flag of a field: ``data_dir`` → ``--data-dir``."""
    return "--" + name.replace("_", "-")


def variable_of(name: str) -> str:
    """Return the variable of a field: ``data_dir`` → ``SPANLOOM_DATA_DIR``."""
    return VARIABLE_PREFIX + name.upper()


def load_settings(flags: Mapping[str, object]) -> Settings:
    """Return the options from flags, the environment and the defaults, in this order of precedence.

    Raises ``OptionError`` with one line that names the flag or variable at fault.
    """
    _refuse_misspelt_variables()
    try:
        settings = Settings.model_validate(flags)
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        name = str(problem["loc"][0]).lower().removeprefix(VARIABLE_PREFIX.lower())
        culprit = flag_of(name) if name in flags else variable_of(name)
        reason = problem["msg"][:1].lower() + problem["msg"][1:]
        raise OptionError(f"{culprit}: {reason}, not {problem['input']!r}") from error
    _refuse_unusable(settings, flags)
    return settings


def is_loopback(host: str) -> bool:
    """Return whether an address is reachable from this machine only."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _refuse_unusable(settings: Settings, flags: Mapping[str, object]) -> None:
    def origin(name: str) -> str:
        is_variable = name not in flags and name in settings.model_fields_set
        return variable_of(name) if is_variable else flag_of(name)

    if settings.store_url and not _is_store_url(settings.store_url):
        raise OptionError(  # without the value, which may contain a password
            f"{origin('store_url')} must be {FORM} (clickhouses:// for TLS)"
        )
    if settings.store_url and settings.store_url_file:
        raise OptionError(
            f"{origin('store_url')} and {origin('store_url_file')} exclude each other"
        )
    if (settings.store_cert_file is None) != (settings.store_key_file is None):
        raise OptionError(
            f"{origin('store_cert_file')} and {origin('store_key_file')} go together: give both or "
            "neither"
        )
    for name in ("store_password_file", "store_ca_file", "store_cert_file"):
        if settings.is_embedded and getattr(settings, name):
            raise OptionError(f"{origin(name)} is for a ClickHouse server (--store-url)")

    if (settings.tls_cert is None) != (settings.tls_key is None):
        raise OptionError(
            f"{origin('tls_cert')} and {origin('tls_key')} go together: give both or neither"
        )
    if settings.tls_client_ca and not settings.tls_cert:
        raise OptionError(f"{origin('tls_client_ca')} needs --tls-cert and --tls-key")


def _is_store_url(url: str) -> bool:
    """Return whether a URL has the scheme of a store and, for a server, hosts with valid ports."""
    return url.startswith("chdb:///") or parse_server(url) is not None


def _refuse_misspelt_variables() -> None:
    known = [variable_of(name) for name in Settings.model_fields]
    for variable in sorted(os.environ):
        if not variable.startswith(VARIABLE_PREFIX) or variable in known:
            continue
        meant = get_close_matches(variable, known, n=1, cutoff=0.92)
        if meant:
            raise OptionError(f"{variable} is not a variable of Spanloom; {meant[0]} is")
