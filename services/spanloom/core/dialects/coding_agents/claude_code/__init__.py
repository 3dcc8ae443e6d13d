"""Claude Code: its spans (``dialect``), with calls and tools by what log records report too."""

from spanloom.core.dialects.coding_agents.claude_code.dialect import ClaudeCode

__all__ = ["ClaudeCode"]
