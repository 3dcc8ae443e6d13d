"""The door for agents: its library is optional, and takes a second to load."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.config import OptionError

if TYPE_CHECKING:
    from spanloom.mcp.server import McpEndpoint


def open_mcp_door(sql_url: str | None) -> McpEndpoint:
    """Return the door at ``/mcp``, with SQL where it has an address.

    Raises ``OptionError`` without the library.
    """
    try:
        from spanloom.mcp.server import McpEndpoint  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise OptionError(
            "--mcp needs the MCP library: pip install 'spanloom[mcp]', or leave the option out"
        ) from error
    return McpEndpoint(sql_url)
