"""Claude Code: spans (``dialect.py``), with calls and tools completed from log records."""

from spanloom.core.dialects.coding_agents.claude_code.dialect import ClaudeCode

__all__ = ["ClaudeCode"]
