"""Finds fields that were added to copies of the records other than that of a run."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click
from docs.page_types import page_types
from tests.support.annotated_runs import SEED, tool_step
from tests.support.trajectory_records import make_record, make_trajectory

from spanloom.cli.completing import _columns
from spanloom.core.formats.canonical import encode_document
from spanloom.core.model.annotation import ANNOTATOR_HEADER
from spanloom.core.model.span import TraceKey
from spanloom.core.model.trajectory import Status
from spanloom.core.records import annotation, change, conversation, hit, queue, score

if TYPE_CHECKING:
    from fastapi.testclient import TestClient
    from pydantic import BaseModel

    from spanloom.core.ports.store import Store

KEY = TraceKey("default", "b" * 32)
RUN, QUEUE = f"/v1/trajectories/{KEY.trace_id}", "/v1/queues/week"
WORDS = "of the wrong town"
JUDGE = {"trace_id": KEY.trace_id, "name": "tone", "author": "judge", "rationale": WORDS}
MARK = {"write_id": "write-0001", "step_id": f"{2:016x}", "correctness": "incorrect"}


def seen_elsewhere(store: Store, client: TestClient) -> dict[str, Any]:
    """Store one of each record, and return the locations of the field that was added to it."""
    _store_run(store)
    _annotate(client)
    asked: dict[str, tuple[str, str, type[BaseModel]]] = {
        "conversation": ("/v1/conversations", "span_count", conversation.ConversationItem),
        "hit": ("/v1/search?q=answer", "size", hit.Hit),
        "change": ("/v1/trajectories/changes?after=beginning", "outcome", change.Change),
        "score": ("/v1/scores?name=tone", "words", score.ScoreItem),
        "annotation": (f"{RUN}/annotations", "words", annotation.AnnotationItem),
        "queue": ("/v1/queues", "has_gold", queue.QueueItem),
        "queued": (f"{QUEUE}/items", "words", queue.QueuedRun),
    }
    return {name: _seen(client, *where) for name, where in asked.items()}


def _store_run(store: Store) -> None:
    steps = [tool_step(number) for number in (2, 3, 4)]
    run = replace(make_trajectory(KEY, steps=steps), extras={"conversation_id": "trip"})
    document = encode_document(run, 1, Status.SETTLED)
    record = replace(make_record(KEY, run), document=document)
    store.trajectories.write([record])
    store.feed.announce([record.announcement])
    store.text_index.index_texts([KEY])


def _annotate(client: TestClient) -> None:
    def ask(method: str, path: str, **body: Any) -> None:
        answer = client.request(method, path, json=body, headers={ANNOTATOR_HEADER: "ada"})
        assert answer.status_code == 200, answer.text

    ask("PUT", "/v1/schemes/step_evaluation", text=SEED)
    mark = {**MARK, "rationale": WORDS}
    ask("POST", f"{RUN}/annotations", scheme="step_evaluation", items=[mark])
    ask("POST", "/v1/scores", items=[JUDGE])
    ask(
        "PUT",
        QUEUE,
        scheme="step_evaluation",
        annotators=["ada"],
        trace_ids=[KEY.trace_id],
    )


def _seen(client: TestClient, path: str, field: str, record: type[BaseModel]) -> dict[str, Any]:
    """Return the occurrences of a field of a record in a response."""
    (item, *_) = (i for i in client.get(path).json()["items"] if _is_of_run(i))
    model = "ChangeItem" if record is change.Change else record.__name__
    described = client.get("/openapi.json").json()["components"]["schemas"][model]["properties"]
    seen = {
        "answer": item[field],
        "client": getattr(record.model_validate(item), field),
        "openapi": described[field]["type"],
        "page": _page_type(record.__name__, field),
    }
    table = client.get(path, headers={"Accept": "text/csv"})
    if table.headers["content-type"].startswith("text/csv"):
        seen["csv"] = field in table.text.partition("\r\n")[0].split(",")
    if command := {"ConversationItem": "conversations", "Hit": "search"}.get(record.__name__):
        context = click.Context(click.Command(command), info_name=command)
        seen["completed"] = [str(item.value) for item in _columns(context, field)]
    return seen


def _is_of_run(item: dict[str, Any]) -> bool:
    """Return whether an item belongs to the run.

    Items within one run and items of queues do not name it.
    """
    return bool(item.get("trace_id", KEY.trace_id) == KEY.trace_id)


def _page_type(record: str, field: str) -> str:
    declared = page_types().partition(f"interface {record} {{\n")[2].partition("\n}")[0]
    (line,) = (one.strip() for one in declared.splitlines() if one.strip().startswith(f"{field}:"))
    return line
