"""The tools: read-only queries about runs, and SQL if enabled. Agents read their docstrings."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Annotated, Any, Literal

import httpx
import orjson
from mcp.server.mcpserver import Context  # noqa: TC002  # its signatures are read at runtime
from mcp.server.mcpserver.tools import Tool
from mcp_types import ToolAnnotations
from pydantic import Field

from spanloom.client.address import Address
from spanloom.client.request import segment
from spanloom.core.showing.steps import place_steps
from spanloom.mcp.data import MOST_CHARS, fitting, refusal, shortened, write, write_whole
from spanloom.mcp.requests import (
    combined_where,
    next_cursor_of,
    page_start,
    read,
    since_ms,
    step_range,
)
from spanloom.mcp.steps import matching_steps, outline, run_summary, step_json, steps_filter

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from spanloom.mcp.requests import ApiAccess

    Query = dict[str, Any]  # query parameters of the API; empty ones are not sent


READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)


class StrictTool(Tool):
    """A tool that refuses arguments it does not know, which the library would ignore."""

    async def run(
        self, arguments: dict[str, Any], context: Context[Any, Any], convert_result: bool = False
    ) -> Any:
        """Run the tool. Raises ``ToolError`` for an unknown argument, as for any other mistake."""
        known = self.parameters["properties"]
        if unknown := sorted(arguments.keys() - known.keys()):
            raise refusal(
                f"{self.name} has no argument {unknown[0]!r}; it takes {', '.join(known)}"
            )
        return await super().run(arguments, context, convert_result)


def make_tool(method: Callable[..., Any]) -> Tool:
    """Return the tool for a method; its responses are sent only as text, not also as JSON."""
    description = inspect.getdoc(method)  # without the indentation of the code
    tool = StrictTool.from_function(
        method, description=description, annotations=READS, structured_output=False
    )
    tool.parameters["additionalProperties"] = False
    return tool


MAX_RUNS = 50
MAX_STEPS = 1_000
Where = Annotated[str, Field(description="A filter: has_error and duration > 20s; see fields.")]
Since = Annotated[str, Field(description="How far back: 30m, 7d, yesterday, a date; or all.")]
Project = Annotated[str, Field(description="Only this project.")]
TraceId = Annotated[str, Field(description="32 hex digits.")]
_LINE = (
    *("trace_id", "project", "started_at", "root_name", "outcome", "duration", "question"),
    *("answer", "agent_names", "models", "step_counts", "input_tokens", "output_tokens", "cost"),
)
_OF_FAILED = ("error_type", "error_message")


def _line(run: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a run that agents see; its error only if it failed, to save tokens."""
    return {
        **{name: run.get(name) for name in _LINE},
        **{name: shortened(run[name], 300) for name in _OF_FAILED if run.get(name)},
    }


class Tools:
    """One method per tool; its docstring is the description that agents read."""

    def __init__(self, api: ApiAccess) -> None:
        """Use the API with the clients and keys that ``api`` provides."""
        self._api = api

    async def search_trajectories(
        self,
        context: Context,
        where: Where = "",
        text: Annotated[str, Field(description="Words in any text of a run.")] = "",
        project: Project = "",
        since: Since = "7d",
        order_by: Annotated[str, Field(description="-start, -cost, duration …")] = "-start",
        limit: Annotated[int, Field(ge=1, le=MAX_RUNS)] = 20,
        cursor: Annotated[str, Field(description="From next_cursor of the page before.")] = "",
    ) -> str:
        """Find runs of agents, one line each with its matching step, newest first.

        Conditions on steps: has(tool = "search" then tool = "refund"), count(type = tool) > 3.
        """
        start = page_start(cursor, since)
        query: Query = {"where": combined_where(where, text), "order": order_by, "limit": limit}
        query |= {"project": project, "cursor": start.cursor, "since": start.from_ms}
        page = await self._read(context, "/v1/trajectories", query)
        runs = [_line(run) for run in page["items"]]
        if steps := steps_filter(where, text):
            await self._note_steps(context, runs, {"where": steps, "project": project})
        head = {"since": since, "next_cursor": next_cursor_of(page, start)}
        if (count := fitting(head, runs)) < len(runs):  # the other runs are the next page
            page = await self._read(context, "/v1/trajectories", {**query, "limit": count})
            head["next_cursor"] = next_cursor_of(page, start)
        return write(head, runs[:count], lambda _: "search_trajectories with cursor=next_cursor")

    async def get_trajectory(
        self,
        context: Context,
        trace_id: TraceId,
        view: Literal["outline", "steps", "full"] = "outline",
        steps: Annotated[str, Field(description="For view=steps: 4 or 3-9.")] = "",
        max_chars: Annotated[int, Field(ge=1, le=10_000, description="Of each text.")] = 400,
        project: Project = "",
    ) -> str:
        """Read one run: its outline first, then steps by their numbers, or the whole document."""
        path = f"/v1/trajectories/{segment(trace_id)}"
        document = await self._read(context, path, {"project": project})
        again = f'get_trajectory(trace_id="{trace_id}", view="steps", '
        if view == "full":
            hint = f'{again}steps="1-5")'
            return write_whole({"trace_id": trace_id}, orjson.dumps(document).decode(), hint)
        placed = place_steps(document)
        head = run_summary(document, len(placed))
        if view == "outline":
            lines = list(outline(placed))
            last = len(placed)
            return write(head, lines, lambda n: f'{again}steps="{lines[n]["from"]}-{last}")')
        first, last = step_range(steps, len(placed))
        shown = [step_json(one, max_chars) for one in placed[first - 1 : last]]
        hint = f'-{last}", max_chars=100)'
        return write(head, shown, lambda n: f'{again}steps="{first + n}{hint}', MOST_CHARS)

    async def stats(
        self,
        context: Context,
        *,
        metrics: Annotated[str, Field(description="count,p95(duration),sum(cost),rate(error)")],
        of: Literal["trajectories", "steps"] = "trajectories",
        group_by: Annotated[str, Field(description="Up to three fields: model,tool")] = "",
        where: Where = "",
        run_where: Annotated[str, Field(description="With of=steps: a filter of runs.")] = "",
        since: Since = "7d",
        interval: Annotated[str, Field(description="Groups by time: 1h, 1d, 1w.")] = "",
        timezone: Annotated[str, Field(description="Of the interval: Europe/Berlin.")] = "",
        project: Project = "",
    ) -> str:
        """Count and measure runs or steps, in groups."""
        query: Query = {
            "metrics": metrics,
            "of": of,
            "by": group_by,
            "where": where,
            "project": project,
        }
        query |= {"interval": interval, "timezone": timezone, "since": since_ms(since)}
        query["run_where"] = run_where
        answer = await self._read(context, "/v1/stats", query)
        head = {"since": since, "truncated": answer["truncated"]}
        return write(head, answer["items"], lambda _: "stats of fewer groups: by where or since")

    async def diff_trajectories(
        self,
        context: Context,
        a: TraceId,
        b: TraceId,
        view: Literal["summary", "steps"] = "summary",
        project: Project = "",
    ) -> str:
        """Compare two runs: a summary first, then the steps that differ."""
        path = f"/v1/trajectories/{segment(a)}/diff/{segment(b)}"
        answer = await self._read(context, path, {"project": project})
        steps = answer.pop("steps")

        def call_for(step: Mapping[str, Any]) -> str:
            trace_id, place = (a, step["a"]) if step.get("a") is not None else (b, step.get("b"))
            number = 1 + (place or 0)  # the root has no position
            return f'get_trajectory(trace_id="{trace_id}", view="steps", steps="{number}")'

        return write(answer, steps if view == "steps" else [], lambda n: call_for(steps[n]))

    async def describe_fields(
        self,
        context: Context,
        of: Literal["trajectories", "steps"] = "trajectories",
        values_of: Annotated[str, Field(description="A field, for its most frequent values.")] = "",
        project: Project = "",
    ) -> str:
        """List the fields of filters, or the values of one field."""
        query: Query = {"of": of, "project": project}
        path = f"/v1/fields/{segment(values_of)}/values" if values_of else "/v1/fields"
        answer = await self._read(context, path, query if values_of else {})
        items = answer["items"]
        if not values_of:
            items = [item for item in items if item["of"] == of]
        return write({"of": of}, items, lambda _: "describe_fields with values_of one field")

    async def _note_steps(self, context: Context, runs: Sequence[Query], query: Query) -> None:
        """Add to each run the first step that matched, as ``matching_step``."""

        async def ask(run_where: str) -> Sequence[Query]:
            steps = {**query, "run_where": run_where, "limit": MAX_STEPS}
            items: Sequence[Query] = (await self._read(context, "/v1/steps", steps))["items"]
            return items

        matching = await matching_steps([run["trace_id"] for run in runs], ask)
        for run in runs:
            run["matching_step"] = matching.get(run["trace_id"])

    async def _read(self, context: Context, path: str, query: Mapping[str, Any]) -> Any:
        sent = {name: value for name, value in query.items() if value not in {"", None}}
        async with self._api.client(context.headers) as client:
            return await read(client, path, **sent)

    def tools(self) -> list[Tool]:
        """Return every tool."""
        methods = (
            self.search_trajectories,
            self.get_trajectory,
            self.stats,
            self.diff_trajectories,
            self.describe_fields,
        )
        return [make_tool(method) for method in methods]


MAX_ROWS = 1_000
LIMIT_S = 30.0


class SqlTool:
    """Queries the SQL port with the caller's key."""

    def __init__(self, api: ApiAccess, url: str) -> None:
        """Use the keys that ``api`` provides, and the SQL port at ``url``."""
        self._api = api
        self._url = url

    async def query_sql(
        self,
        context: Context,
        sql: Annotated[str, Field(description="One SELECT, over v_trajectories and v_steps.")],
        limit: Annotated[int, Field(ge=1, le=MAX_ROWS)] = 100,
    ) -> str:
        """Run a ClickHouse SQL query that no other tool can answer."""
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

    def tools(self) -> list[Tool]:
        """Return the tool."""
        return [make_tool(self.query_sql)]
