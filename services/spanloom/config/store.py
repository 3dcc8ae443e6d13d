"""Options of the store: where data is, and for how long."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from spanloom.config.section import SectionSettings
from spanloom.storage.engine.address import StoreAddress


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
