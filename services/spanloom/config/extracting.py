"""Options of the work on stored traces: extraction, search and alerts."""

from __future__ import annotations

from pathlib import Path  # noqa: TC003  # pydantic reads it

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from spanloom.config.section import SectionSettings


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
