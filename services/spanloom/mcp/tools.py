"""The tools: what an agent may ask about runs. All of them only read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import orjson
from mcp.server.mcpserver import Context  # noqa: TC002  # its signatures are read at runtime
from pydantic import Field

from spanloom.client.request import segment
from spanloom.core.showing.step_outline import place_steps
from spanloom.mcp.data import MOST_CHARS, fitting, write, write_whole
from spanloom.mcp.offering import offer
from spanloom.mcp.requests import both, first_ms, page_behind, place_of, places_of, read
from spanloom.mcp.steps import head_of, matching_steps, outline, step_asked, tell

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mcp.server.mcpserver import MCPServer

    from spanloom.mcp.requests import Asking

    Asked = dict[str, Any]  # parameters of the API; those that are empty are not sent

MAX_RUNS = 50
MAX_STEPS = 1_000
Where = Annotated[str, Field(description="A filter: has_error and duration > 20s; see fields.")]
Since = Annotated[str, Field(description="How far back: 30m, 2h, 7d, a date; all for everything.")]
Project = Annotated[str, Field(description="Only this project.")]
TraceId = Annotated[str, Field(description="32 hex digits.")]
_LINE = (
    *("trace_id", "project", "started_at", "root_name", "outcome", "duration", "question"),
    *("answer", "agent_names", "models", "step_counts", "input_tokens", "output_tokens", "cost"),
)


class Tools:
    """One function for each tool; what its docstring says is what the agent reads."""

    def __init__(self, asking: Asking) -> None:
        """Take how the API is reached."""
        self._asking = asking

    async def search_trajectories(
        self,
        context: Context,
        where: Where = "",
        text: Annotated[str, Field(description="Words said anywhere in a run.")] = "",
        project: Project = "",
        since: Since = "7d",
        order_by: Annotated[str, Field(description="-start, -cost, duration …")] = "-start",
        limit: Annotated[int, Field(ge=1, le=MAX_RUNS)] = 20,
        cursor: Annotated[str, Field(description="From next_cursor of the page before.")] = "",
    ) -> str:
        """Find runs of agents, a line each with its matching step, newest first.

        Shapes of runs too: has(tool = "search" then tool = "refund"), count(type = tool) > 3.
        """
        place = place_of(cursor, since)
        asked: Asked = {"where": both(where, text), "order": order_by, "limit": limit}
        asked |= {"project": project, "cursor": place.cursor, "since": place.from_ms}
        page = await self._read(context, "/v1/trajectories", asked)
        runs = [{name: run.get(name) for name in _LINE} for run in page["items"]]
        if steps := step_asked(where, text):
            await self._note_steps(context, runs, {"where": steps, "project": project})
        head = {"since": since, "next_cursor": page_behind(page, place)}
        if (count := fitting(head, runs)) < len(runs):  # the rest is the next page
            page = await self._read(context, "/v1/trajectories", {**asked, "limit": count})
            head["next_cursor"] = page_behind(page, place)
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
        head = head_of(document, len(placed))
        if view == "outline":
            lines = list(outline(placed))
            last = len(placed)
            return write(head, lines, lambda n: f'{again}steps="{lines[n]["from"]}-{last}")')
        first, last = places_of(steps, len(placed))
        told = [tell(own, max_chars) for own in placed[first - 1 : last]]
        hint = f'-{last}", max_chars=100)'
        return write(head, told, lambda n: f'{again}steps="{first + n}{hint}', MOST_CHARS)

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
        interval: Annotated[str, Field(description="Groups by time: 1h, 1d.")] = "",
        project: Project = "",
    ) -> str:
        """Count and measure runs or steps, in groups."""
        asked: Asked = {
            "metrics": metrics,
            "of": of,
            "by": group_by,
            "where": where,
            "project": project,
        }
        asked |= {"interval": interval, "since": first_ms(since)}
        asked["run_where"] = run_where
        found = await self._read(context, "/v1/stats", asked)
        head = {"since": since, "truncated": found["truncated"]}
        return write(head, found["items"], lambda _: "stats of fewer groups: by where or since")

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
        found = await self._read(context, path, {"project": project})
        steps = found.pop("steps")

        def steps_behind(step: Mapping[str, Any]) -> str:
            trace_id, place = (a, step["a"]) if step.get("a") is not None else (b, step.get("b"))
            number = 1 + (place or 0)  # the root has no place
            return f'get_trajectory(trace_id="{trace_id}", view="steps", steps="{number}")'

        return write(found, steps if view == "steps" else [], lambda n: steps_behind(steps[n]))

    async def describe_fields(
        self,
        context: Context,
        of: Literal["trajectories", "steps"] = "trajectories",
        values_of: Annotated[str, Field(description="A field, for its most frequent values.")] = "",
        project: Project = "",
    ) -> str:
        """List the fields that a filter can name, or the values of one."""
        asked: Asked = {"of": of, "project": project}
        path = f"/v1/fields/{segment(values_of)}/values" if values_of else "/v1/fields"
        found = await self._read(context, path, asked if values_of else {})
        items = found["items"]
        if not values_of:
            items = [item for item in items if item["of"] == of]
        return write({"of": of}, items, lambda _: "describe_fields with values_of one field")

    async def _note_steps(self, context: Context, runs: Sequence[Asked], asked: Asked) -> None:
        """Tell of each run which step it was found by."""

        async def ask(run_where: str) -> Sequence[Asked]:
            steps = {**asked, "run_where": run_where, "limit": MAX_STEPS}
            items: Sequence[Asked] = (await self._read(context, "/v1/steps", steps))["items"]
            return items

        found = await matching_steps([run["trace_id"] for run in runs], ask)
        for run in runs:
            run["matching_step"] = found.get(run["trace_id"])

    async def _read(self, context: Context, path: str, asked: Mapping[str, Any]) -> Any:
        given = {name: value for name, value in asked.items() if value not in {"", None}}
        async with self._asking.client(context.headers) as client:
            return await read(client, path, **given)

    def install(self, server: MCPServer[Any]) -> None:
        """Offer every tool, as one that reads and reaches nothing beyond the store."""
        for tool in (
            self.search_trajectories,
            self.get_trajectory,
            self.stats,
            self.diff_trajectories,
            self.describe_fields,
        ):
            offer(server, tool)
