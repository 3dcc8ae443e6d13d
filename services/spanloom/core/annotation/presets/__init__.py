"""The schemes that Spanloom includes.

Input: the YAML files in this folder, in the same format as users' schemes. Output: parsed
schemes, keyed by name. Start at ``presets``.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from spanloom.core.annotation.scheme_reader import read_scheme

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanloom.core.annotation.scheme import Scheme


@cache
def presets() -> Mapping[str, Scheme]:
    """Return the schemes, keyed by name: ``potato``, ``mast``, ``trail``."""
    paths = (f for f in files(__package__ or "").iterdir() if f.name.endswith(".yaml"))
    schemes = (read_scheme(file.read_text("utf-8")).scheme for file in paths)
    return {scheme.name: scheme for scheme in sorted(schemes, key=lambda scheme: scheme.name)}
