"""The MCP endpoint, loaded on demand: its library is optional and takes a second to import."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.config import OptionError

if TYPE_CHECKING:
    from spanloom.mcp.server import McpDoor


def open_mcp_door(sql_url: str | None) -> McpDoor:
    """Return the endpoint at ``/mcp``, with SQL if ``sql_url`` is set.

    Raises ``OptionError`` if the library is not installed.
    """
    try:
        from spanloom.mcp.server import McpDoor  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise OptionError(
            "--mcp needs the MCP library: pip install 'spanloom[mcp]', or leave the option out"
        ) from error
    return McpDoor(sql_url)
