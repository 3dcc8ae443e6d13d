"""Reads Codex's spans (``dialect.py``); spans below turns and model calls have further facts."""

from spanloom.core.dialects.coding_agents.codex.dialect import Codex

__all__ = ["Codex"]
