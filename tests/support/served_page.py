"""The page over made-up API responses: a run of any size, without a store."""

from __future__ import annotations

import socket
import threading
from contextlib import contextmanager
from random import Random
from typing import TYPE_CHECKING, Any

import orjson
import uvicorn
from fastapi import FastAPI, Response
from starlette.middleware.gzip import GZipMiddleware
from tests.support.outlines import Row, encode_outline
from tests.support.served_talk import add_talk

from spanloom.api.annotations.schemes import preset
from spanloom.core.annotation.presets import presets
from spanloom.core.model.annotation import NOTHING
from spanloom.core.records.scheme import SchemeList
from spanloom.process.page import page_router

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

TRACE = "5" * 32
ANNOTATORS = ("bo", "cleo", "dan", "eve", "fay")
_NAMES = {
    "agent": ("planner", "researcher", "coder", "reviewer"),
    "model": ("gpt-5-mini", "claude-sonnet-5", "qwen3-max"),
    "tool": ("search_web", "read_file", "run_tests", "query_db", "shell"),
    "graph": ("LangGraph",),
    "other": ("RunnableSequence", "ChatPromptTemplate"),
}
_SHARES = (8, 30, 30, 4, 28)
_DEEPEST = 16


def make_run(count: int, seed: int = 1) -> Sequence[Row]:
    """Return a run of ``count`` spans: agents that call models, tools, graphs and other agents."""
    chance, time_us = Random(seed), 0
    rows: list[Row] = [Row(0, "agent", "travel_assistant", 0, 0, "travel_assistant")]
    above = [0]
    while len(rows) < count:
        kind = chance.choices(tuple(_NAMES), _SHARES)[0]
        time_us += chance.randint(20, 3_000)
        is_call = kind in ("model", "tool")
        length = int(chance.lognormvariate(9 if is_call else 6, 1))
        tokens = (int(chance.lognormvariate(7, 0.9)), int(chance.lognormvariate(5, 0.8)))
        name = chance.choice(_NAMES[kind])
        tin, tout = tokens if kind == "model" else (0, 0)
        flags = 4 if kind == "other" else int(is_call and chance.random() < 0.012)
        rows.append(Row(len(above), kind, name, time_us, length, name, tin, tout, flags))
        if kind in ("agent", "graph") and len(above) < _DEEPEST:
            above.append(len(rows) - 1)
        else:
            time_us += length
            while len(above) > 1 and chance.random() < 0.06:
                closed = above.pop()
                rows[closed] = rows[closed]._replace(dur=time_us - rows[closed].start)
    for open_row in above:
        rows[open_row] = rows[open_row]._replace(dur=time_us - rows[open_row].start)
    return rows


@contextmanager
def serve_page(rows: Sequence[Row], talk: int = 0) -> Iterator[str]:
    """Serve the page of one run, and yield the address of the run.

    With ``talk``, it is also every run of a conversation of that many runs.
    """
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(_application(rows, talk), log_level="error"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/trajectories/{TRACE}"
    finally:
        server.should_exit = True
        thread.join()
        listener.close()


def _application(rows: Sequence[Row], talk: int) -> FastAPI:
    app, outline = FastAPI(), encode_outline(rows)
    app.include_router(page_router())

    @app.get("/v1/trajectories/{trace}/outline")
    def get_outline() -> Response:
        return Response(outline, media_type="application/octet-stream")

    @app.get("/v1/trajectories/{trace}/rows")
    def get_rows(start: int = 0) -> dict[str, object]:
        items = [{"row": start + at, "preview": f"said {at}", "error": ""} for at in range(128)]
        return {"version": 1, "items": items}

    @app.get("/v1/trajectories/{trace}/steps/{step}")
    def get_step(step: str) -> dict[str, object]:
        basic = {"started_at": "1763600000000", "duration": "20"}
        texts = {"input": "what was asked", "output": "what was said", "metadata": {}}
        return {"id": step, "type": "tool", "name": "step", "basic_info": basic, **texts}

    @app.get("/v1/trajectories")
    def get_list() -> dict[str, object]:
        return {"items": [], "next_cursor": None}

    add_talk(app, talk)
    _annotating(app, rows)
    app.add_middleware(GZipMiddleware, minimum_size=1_000, compresslevel=1)
    return app


def _annotating(app: FastAPI, rows: Sequence[Row]) -> None:
    """Answer the annotation panel's requests as if all annotators but ada had judged every tool."""
    judged = [f"{at + 1:016x}" for at, row in enumerate(rows) if row.kind == "tool"]
    said = [_said(step, who) for who in ANNOTATORS for step in judged]
    answer = _lines(said)
    scheme = preset(presets()["potato"])

    @app.get("/v1/schemes")
    def get_schemes() -> SchemeList:
        return SchemeList(items=[], presets=[scheme])

    @app.get("/v1/trajectories/{trace}/annotations")
    def get_annotations(annotator: str = "") -> Response:
        return Response(_lines([]) if annotator else answer, media_type="application/x-ndjson")

    @app.post("/v1/trajectories/{trace}/annotations")
    def write(wanted: dict[str, Any]) -> dict[str, object]:
        ids = {"revision": 1, "annotator": "ada"}
        rows = [{**_said(i["step_id"], "ada"), **i, **ids} for i in wanted["items"]]
        return {**_TOLD, "items": rows, "scores": []}

    @app.put("/v1/trajectories/{trace}/versions/{version}")
    def keep() -> dict[str, object]:
        return {}

    @app.get("/v1/scores")
    def get_scores() -> dict[str, object]:
        return {"items": [], "withheld": 0, "next_cursor": None}


_TOLD = {"trace_id": TRACE, "project": "default", "version": 1, "withheld": 0}


def _lines(rows: Sequence[Mapping[str, object]]) -> bytes:
    """Return annotations as JSON lines, in the format that the page requests."""
    end = {"end": True, "count": len(rows), **_TOLD}
    return b"".join(orjson.dumps(row) + b"\n" for row in (*rows, end))


def _said(step: str, who: str) -> dict[str, object]:
    """Return the annotation row of an annotator who marks a step as correct."""
    mark = {**NOTHING._asdict(), "correctness": "correct", "value": {}}
    place = {"step_id": step, "stands_at": step, "state": "valid", "reason": "", "version": 1}
    kept = {"revision": 1, "write_id": f"{who}-{step}", "origin": "human", "is_deleted": False}
    return {"scheme": "potato", "annotator": who, **place, **kept, **mark, "quote": "", "group": ""}
