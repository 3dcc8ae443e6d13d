"""Codex: its spans (``dialect``), with turns and calls by what is below them."""

from spanloom.core.dialects.coding_agents.codex.dialect import Codex

__all__ = ["Codex"]
