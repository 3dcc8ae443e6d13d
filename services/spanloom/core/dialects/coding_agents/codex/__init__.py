"""Codex: its spans (``dialect``), with turns and calls completed from the spans below them."""

from spanloom.core.dialects.coding_agents.codex.dialect import Codex

__all__ = ["Codex"]
