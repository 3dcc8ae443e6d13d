"""``docker-compose.yml`` as data."""

from __future__ import annotations

from typing import Any

from ruamel.yaml import YAML
from tests.support.agents import REPOSITORY


def compose() -> dict[str, Any]:
    """Return the whole file."""
    return dict(YAML(typ="safe").load((REPOSITORY / "docker-compose.yml").read_text()))


def service(name: str) -> dict[str, Any]:
    """Return the definition of one service."""
    return dict(compose()["services"][name])
