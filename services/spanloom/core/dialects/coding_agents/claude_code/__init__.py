"""Reads Claude Code's spans (``dialect.py``); log records complete its model calls and tools."""

from spanloom.core.dialects.coding_agents.claude_code.dialect import ClaudeCode

__all__ = ["ClaudeCode"]
