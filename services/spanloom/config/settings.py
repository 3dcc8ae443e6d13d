"""All options of all sections."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from spanloom.config.extracting import (
    AlertSettings,
    BuildingSettings,
    ExtractingSettings,
    SearchingSettings,
)
from spanloom.config.process import NetworkSettings, ProcessSettings, SqlSettings
from spanloom.config.receiving import ReceivingSettings, RedactionSettings
from spanloom.config.store import StoreSettings

if TYPE_CHECKING:
    from spanloom.config.section import SectionSettings


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


SECTIONS = cast("tuple[type[SectionSettings], ...]", Settings.__bases__)
"""The sections, in the order of their tables in ``docs/configuration.md``."""
