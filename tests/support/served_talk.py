"""A conversation for the page over made-up API responses: any number of runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fastapi import FastAPI

TALK = "talk"
BEGUN_MS = 1_763_600_000_000
"""Start of made-up outlines."""
_MINUTE_MS = 60_000


def add_talk(app: FastAPI, count: int) -> None:
    """Answer the conversation page's requests for its runs, a quarter of an hour apart."""

    @app.get("/v1/conversations/{name:path}")
    def get_conversation(limit: int, cursor: int = 0) -> dict[str, object]:
        items = [_line(at) for at in range(cursor, min(cursor + limit, count))]
        return {"items": items, "next_cursor": cursor + limit if cursor + limit < count else None}


def _line(at: int) -> dict[str, object]:
    began = {"started_at": str(BEGUN_MS + at * 15 * _MINUTE_MS), "duration": "60000"}
    went = {"status": "settled", "outcome": "ok", "failures": int(at % 20 == 7)}
    took = {"input_tokens": 900 + at, "output_tokens": 80, "cost": 0.0021, "span_count": 100_000}
    said = {"question": f"What about {at}?", "answer": f"It is {at}.", "root_name": "assistant"}
    names = {"trace_id": f"{at + 1:032x}", "project": "default", "version": 1, "user_id": None}
    return {**names, **began, **went, **took, **said, "step_counts": {"agent": 1, "tool": 2}}
