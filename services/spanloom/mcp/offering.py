"""Registers tools as read-only, described by their docstrings."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from mcp_types import ToolAnnotations

if TYPE_CHECKING:
    from collections.abc import Callable

    from mcp.server.mcpserver import MCPServer

READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)


def offer(server: MCPServer[Any], tool: Callable[..., Any]) -> None:
    """Register a tool; its responses are sent once, as text without structured output."""
    description = inspect.getdoc(tool)  # without the indentation of the code
    server.add_tool(tool, description=description, annotations=READS, structured_output=False)
