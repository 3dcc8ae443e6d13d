"""``GET /v1/conversations/{id}/export.html``: a conversation as one file of HTML."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import orjson
import pytest
from tests.unit.api.conftest import summary

from spanloom.api.runs import conversation_pages
from spanloom.core.errors import StoreUnavailableError
from spanloom.core.formats.schema import canonical_example
from spanloom.core.model.span import TraceKey
from spanloom.core.showing.html import steps
from spanloom.core.showing.html.page import POLICY

if TYPE_CHECKING:
    from fastapi.testclient import TestClient
    from tests.unit.api.conftest import ShelfStore

    from spanloom.core.model.access import Reach

TALK = 'support/4711 <b onclick="x">'
PATH = f"/v1/conversations/{quote(TALK, safe='')}/export.html"
STEPS = 6
"""The number of steps in each run."""


def put(store: ShelfStore, number: int, project: str = "default") -> None:
    """Put a run of the conversation into the store."""
    trace = f"{number:032x}"
    run: dict[str, Any] = {**canonical_example(), "id": trace}
    run["root_step"] = {**run["root_step"], "name": f"run {number}"}
    store.summaries.append(summary(number, project, TALK))
    store.stored_documents[TraceKey(project, trace)] = orjson.dumps(run)


@pytest.fixture
def talk(store: ShelfStore) -> ShelfStore:
    for number in (24, 20, 22):
        put(store, number)
    put(store, 30, "other")
    return store


def headings(page: str) -> list[str]:
    return re.findall(r"<h2><bdi>(.*?)</bdi></h2>", page)


def traces(page: str) -> list[int]:
    return [int(found, 16) for found in re.findall(r"<dt>trace</dt><dd>(\w+)<", page)]


def test_all_runs_are_in_one_file_in_their_order(client: TestClient, talk: ShelfStore) -> None:
    answer = client.get(PATH).raise_for_status()
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["content-security-policy"] == f"{POLICY}; frame-ancestors 'none'"
    disposition = 'attachment; filename="support-4711-b-onclick-x.html"'
    assert answer.headers["content-disposition"] == disposition
    assert "<h1><bdi>support/4711 &lt;b onclick=&quot;x&quot;&gt;</bdi></h1>" in answer.text
    assert headings(answer.text) == ["1. team", "2. team", "3. team", "4. team"]
    assert traces(answer.text) == [20, 22, 24, 30]
    assert answer.text.count("<details") == 4 * STEPS
    assert answer.text.endswith("</main></body></html>")
    assert talk


def test_it_goes_through_all_pages_of_the_list(
    client: TestClient, talk: ShelfStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conversation_pages, "RUNS_AT_ONCE", 3)
    assert traces(client.get(PATH).text) == [20, 22, 24, 30]
    assert talk


def test_a_project_narrows_it_down(client: TestClient, talk: ShelfStore) -> None:
    assert traces(client.get(PATH, params={"project": "other"}).text) == [30]
    answer = client.get(PATH, params={"project": "nobody"})
    assert (answer.status_code, answer.headers["content-type"]) == (404, "application/problem+json")
    assert talk


def test_a_conversation_without_runs_is_not_there(client: TestClient) -> None:
    answer = client.get("/v1/conversations/nobody/export.html")
    assert answer.status_code == 404
    assert "conversation 'nobody'" in answer.json()["detail"]


def test_runs_beyond_the_room_are_named_and_their_documents_not_read(
    client: TestClient, talk: ShelfStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    document = talk.documents.get

    def counted(trace_id: str, reach: Reach) -> bytes | None:
        read.append(trace_id)
        return document(trace_id, reach)

    monkeypatch.setattr(talk.documents, "get", counted)
    monkeypatch.setattr(steps, "MAX_STEPS", STEPS + 2)
    page = client.get(PATH).text
    assert [int(trace, 16) for trace in read] == [20, 22]
    assert traces(page) == [20, 22, 24, 30]
    assert page.count("<details") == STEPS + 2
    assert f"Of {STEPS} steps the earliest 2 are in this file. All are in /v1/traj" in page
    assert page.count("Its steps are not in this file.") == 2
    assert f"/v1/trajectories/{24:032x}/export.html" in page


def test_of_more_runs_than_it_names_it_says_where_they_are(
    client: TestClient, talk: ShelfStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conversation_pages, "MOST_RUNS", 2)
    page = client.get(PATH).text
    assert traces(page) == [20, 22]
    assert "The first 2 runs are in this file. All are in /v1/conversations/support%2F4711" in page
    assert talk


def test_a_run_that_is_deleted_meanwhile_is_left_out(client: TestClient, talk: ShelfStore) -> None:
    del talk.stored_documents[TraceKey("default", f"{22:032x}")]
    assert traces(client.get(PATH).text) == [20, 24, 30]


def test_a_file_that_cannot_be_finished_says_so(
    client: TestClient, talk: ShelfStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = talk.documents.get

    def failing(trace_id: str, reach: Reach) -> bytes | None:
        if int(trace_id, 16) == 24:
            raise StoreUnavailableError("away <now>")
        return document(trace_id, reach)

    monkeypatch.setattr(talk.documents, "get", failing)
    page = client.get(PATH).text
    assert traces(page) == [20, 22]
    assert "This file is incomplete, because the service failed: away &lt;now&gt;" in page
    assert page.endswith("</main></body></html>")
    talk.error = StoreUnavailableError("away")
    assert client.get(PATH).status_code == 503
