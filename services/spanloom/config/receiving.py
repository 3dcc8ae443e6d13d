"""Options of the collector: its ports, its limits, and what it redacts."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003  # pydantic reads it

from pydantic import ByteSize, Field
from pydantic_settings import SettingsConfigDict

from spanloom.config.section import GIB, MIB, SectionSettings


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
