"""A suite that uses nothing of the plugin."""

from __future__ import annotations

import sys

OURS = {"spanloom", *(f"spanloom.testing{name}" for name in ("", ".plugin", ".options"))}


def test_nothing_is_imported() -> None:
    loaded = {name for name in sys.modules if name.partition(".")[0] == "spanloom"}
    assert loaded <= OURS
    assert "opentelemetry" not in sys.modules
    assert "pydantic" not in sys.modules
