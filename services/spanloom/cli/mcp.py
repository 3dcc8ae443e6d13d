"""``spanloom mcp``: an MCP server on stdio, with which agents read stored runs."""

from __future__ import annotations

import click

from spanloom.cli.options import TeachingCommand
from spanloom.client.address import find_address
from spanloom.core.errors import StartupError

MISSING = "this needs the MCP library: pip install 'spanloom[mcp]'"


@click.command(
    "mcp",
    cls=TeachingCommand,
    examples=("spanloom mcp --api-url https://traces.internal",),
)
@click.option(
    "--api-url", "url", envvar="SPANLOOM_API_URL", metavar="URL", help="URL of the service."
)
@click.option("--api-key", envvar="SPANLOOM_API_KEY", metavar="KEY", help="Key for the service.")
@click.option(
    "--sql-url",
    metavar="URL",
    help="URL of its SQL port; adds the tool query_sql.",
)
def mcp_command(url: str | None, api_key: str | None, sql_url: str | None) -> None:
    """Let an agent query stored runs, over the Model Context Protocol on stdin and stdout.

    Its tools only read, in the projects of the key: search runs, read one, compute statistics,
    compare two, list fields. A running service offers the same at /mcp (`serve --mcp`).
    """
    try:
        from spanloom.mcp.requests import RemoteApi  # noqa: PLC0415  # it is optional, and slow
        from spanloom.mcp.server import make_server  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise StartupError(MISSING) from error
    try:
        address = find_address(url, api_key)
    except ValueError as error:
        ctx = click.get_current_context()
        param = next(one for one in ctx.command.params if one.name == "url")
        raise click.BadParameter(str(error), ctx, param) from error
    make_server(RemoteApi(address), sql_url).run("stdio")
