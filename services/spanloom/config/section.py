"""The base class of all sections of options, and the names of flags and variables."""

from __future__ import annotations

from pydantic_settings import BaseSettings, SettingsConfigDict

MIB = 1024 * 1024
GIB = 1024 * MIB
VARIABLE_PREFIX = "SPANLOOM_"


class SectionSettings(BaseSettings):
    """The options of one subject; the title is their heading in help and documentation."""

    model_config = SettingsConfigDict(
        env_prefix=VARIABLE_PREFIX, extra="ignore", frozen=True, title="Options"
    )


def flag_of(name: str) -> str:
    """Return the flag of a field: ``data_dir`` → ``--data-dir``."""
    return "--" + name.replace("_", "-")


def variable_of(name: str) -> str:
    """Return the variable of a field: ``data_dir`` → ``SPANLOOM_DATA_DIR``."""
    return VARIABLE_PREFIX + name.upper()
