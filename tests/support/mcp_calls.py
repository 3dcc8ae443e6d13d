"""Calls of every MCP tool with every view, with the maximum limits."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any, TypeAlias
from unicodedata import category

from mcp import Client

from spanloom.mcp.data import MOST_CHARS, NOTICE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mcp.server.mcpserver import MCPServer

Calls: TypeAlias = "Sequence[tuple[str, Mapping[str, object]]]"


def every_call(trace_id: str, other: str) -> Calls:
    """Return calls that succeed: about one run, two runs and many runs."""
    views: list[dict[str, object]] = [{"view": "outline"}, {"view": "steps"}, {"view": "full"}]
    steps: list[dict[str, object]] = [
        {"view": "steps", "max_chars": most, "steps": "1-9"} for most in (1, 400, 10_000)
    ]
    text_fields = ("agent", "model", "service", "tag", "user", "root_name", "environment")
    return [
        *(("get_trajectory", {"trace_id": trace_id, **more}) for more in (*views, *steps)),
        ("search_trajectories", {"since": "all", "limit": 50}),
        ("search_trajectories", {"since": "all", "where": "has(tool exists and error)"}),
        *(
            ("diff_trajectories", {"a": a, "b": b, "view": view})
            for a, b in ((trace_id, other), (other, trace_id))
            for view in ("summary", "steps")
        ),
        *(("describe_fields", {"of": of}) for of in ("trajectories", "steps")),
        *(("describe_fields", {"values_of": name}) for name in text_fields),
        ("describe_fields", {"of": "steps", "values_of": "name"}),
        ("stats", {"metrics": "count", "since": "all", "group_by": "root_name,model,agent"}),
        ("stats", {"metrics": "count", "since": "all", "of": "steps", "group_by": "tool"}),
    ]


LONG = "x" * 100_000
REFUSED: Calls = [
    ("get_trajectory", {"trace_id": LONG}),
    ("get_trajectory", {"trace_id": "0" * 32, "project": LONG}),
    *(
        ("search_trajectories", {name: LONG})
        for name in ("where", "text", "project", "since", "order_by", "cursor")
    ),
    ("search_trajectories", {"where": " or ".join([f"{'x' * 60} = 1"] * 60)}),
    *(
        ("stats", {"metrics": "count", name: LONG})
        for name in (
            "metrics",
            "group_by",
            "where",
            "run_where",
            "since",
            "interval",
            "project",
            "timezone",
        )
    ),
    ("diff_trajectories", {"a": LONG, "b": LONG}),
    ("describe_fields", {"values_of": LONG}),
]
"""Calls that are refused, each with a long argument."""


def answers(server: MCPServer[Any] | str, calls: Calls) -> list[tuple[bool, str]]:
    """Return for each call whether it failed, and the text of its response."""

    async def ask() -> list[tuple[bool, str]]:
        async with Client(server) as client:
            results = [await client.call_tool(tool, dict(arguments)) for tool, arguments in calls]
        return [(bool(one.is_error), _text(one.content)) for one in results]

    return asyncio.run(ask())


def _text(content: Sequence[Any]) -> str:
    return "".join(part.text for part in content)


def body_of(answer: str) -> dict[str, Any]:
    """Return the JSON of a response; assert that it is marked as data, clean and short enough."""
    assert len(answer) <= MOST_CHARS
    assert not [c for c in answer if category(c) in {"Cc", "Cf"} and c != "\n"]
    notice, text = answer.split("\n", 1)
    assert notice == NOTICE
    body: dict[str, Any] = json.loads(text)
    return body
