"""Codex: spans (``dialect.py``), with turns and calls completed from the spans below them."""

from spanloom.core.dialects.coding_agents.codex.dialect import Codex

__all__ = ["Codex"]
