"""The SQL tool, offered if the operator has enabled it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import httpx
from mcp.server.mcpserver import Context  # noqa: TC002  # its signature is read at runtime
from pydantic import Field

from spanloom.client.address import Address
from spanloom.mcp.data import refusal, write
from spanloom.mcp.offering import offer

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

    from spanloom.mcp.requests import ApiAccess

MAX_ROWS = 1_000
LIMIT_S = 30.0


class SqlTool:
    """Queries the SQL port with the caller's key."""

    def __init__(self, api: ApiAccess, url: str) -> None:
        """Use these keys, and the SQL port at ``url``."""
        self._api = api
        self._url = url

    async def query_sql(
        self,
        context: Context,
        sql: Annotated[str, Field(description="One SELECT, over v_trajectories and v_steps.")],
        limit: Annotated[int, Field(ge=1, le=MAX_ROWS)] = 100,
    ) -> str:
        """Ask in ClickHouse SQL what no other tool answers."""
        answer = await self._send(sql, self._api.key(context.headers))
        columns = [column["name"] for column in answer["meta"]]
        rows = answer["data"][:limit]
        head = {"columns": columns, "rows": len(answer["data"])}
        return write(
            head, rows, lambda shown: f"query_sql with LIMIT {max(shown, 1)}, or fewer columns"
        )

    async def _send(self, sql: str, key: str) -> Any:
        parameters = {"default_format": "JSONCompact"}
        address = Address(self._url, key)
        try:
            async with httpx.AsyncClient(timeout=LIMIT_S, **address.trust) as http:
                answer = await http.post(
                    self._url, params=parameters, content=sql, headers=address.headers
                )
        except httpx.HTTPError as error:
            raise refusal(f"the SQL port at {self._url} does not answer: {error}") from error
        if answer.status_code != httpx.codes.OK:
            raise refusal(answer.text)
        return answer.json()

    def install(self, server: MCPServer[Any]) -> None:
        """Register the tool."""
        offer(server, self.query_sql)
