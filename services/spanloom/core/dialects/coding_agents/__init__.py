"""Coding agents that run in a terminal: their spans, and their log records.

Input: spans, and log records stored as spans. Output: classifications and facts, as from every
dialect, also of steps that only log records report. Start with ``copilot.py``, which reads only
spans, then ``agent_logs.py`` and ``story.py``, which read records. Each dialect is verified on runs
of the program itself, with a scripted provider in place of the model.
"""

from spanloom.core.dialects.coding_agents.agent_logs import AgentLogs
from spanloom.core.dialects.coding_agents.claude_code import ClaudeCode
from spanloom.core.dialects.coding_agents.codex import Codex
from spanloom.core.dialects.coding_agents.copilot import Copilot
from spanloom.core.dialects.coding_agents.gemini_cli import GeminiCLI
from spanloom.core.dialects.coding_agents.opencode import Opencode
from spanloom.core.dialects.coding_agents.qwen_code import QwenCode

DIALECTS = (AgentLogs(), ClaudeCode(), Codex(), Copilot(), GeminiCLI(), Opencode(), QwenCode())
