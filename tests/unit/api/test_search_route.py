"""``/v1/search``: the query that it sends to the store, and how it shows the hits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from fastapi.testclient import TestClient
from tests.support.access import Locks

from spanloom.api.app import create_app
from spanloom.api.services import ServingProcess
from spanloom.core.errors import StoreUnavailableError
from spanloom.core.model.access import Reach
from spanloom.core.ports.texts import ListedHit, TextSearch
from spanloom.core.query.where.text_query import parse_text_query
from spanloom.core.records.hit import HIT, Hit, Part
from spanloom.metrics import Metrics

if TYPE_CHECKING:
    from tests.unit.api.conftest import ShelfStore

NS = 10**9


def hit(number: int) -> ListedHit:
    values = {
        "trace_id": f"{number:032x}",
        "started_at": number * 1_000,
        "position": 5,
        "snippet": "a <b>refund</b> 退款",
        "offsets": [(5, 11)],
    }
    return ListedHit(Hit.model_validate({**HIT.example, **values}), number * NS)


def test_a_hit_is_plain_text_with_the_places_of_what_was_looked_for(
    client: TestClient, store: ShelfStore
) -> None:
    store.hits = [hit(7)]
    answer = client.get("/v1/search", params={"q": "refund"})
    assert answer.json() == {
        "items": [
            {
                "trace_id": f"{7:032x}",
                "project": "default",
                "started_at": "7000",
                "step_id": "a1c4e1b7d2f30004",
                "position": 5,
                "part": "output",
                "type": "tool",
                "name": "refund",
                "snippet": "a <b>refund</b> 退款",
                "offsets": [[5, 11]],
            }
        ],
        "next_cursor": None,
    }


def test_what_is_asked_for_reaches_the_store(client: TestClient, store: ShelfStore) -> None:
    parameters = {"q": '"rate limit" x*', "in": "error,input", "since": "1000", "until": "2000"}
    assert client.get("/v1/search", params={**parameters, "project": "p"}).status_code == 200
    query = parse_text_query(parameters["q"])
    wanted = TextSearch(query, (Part.INPUT, Part.ERROR), NS, 2 * NS)
    assert store.searched == [(Reach.only("p"), wanted)]


def test_pages_follow_each_other_by_cursor(client: TestClient, store: ShelfStore) -> None:
    store.hits = [hit(number) for number in (9, 8, 7)]
    first = client.get("/v1/search", params={"q": "refund", "limit": 2}).json()
    assert [item["started_at"] for item in first["items"]] == ["9000", "8000"]
    parameters = {"q": "refund", "limit": 2, "cursor": first["next_cursor"]}
    last = client.get("/v1/search", params=parameters).json()
    assert [item["started_at"] for item in last["items"]] == ["7000"]
    assert last["next_cursor"] is None


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"q": "!!! --"}, "no letter or digit to search for"),
        ({"q": ""}, "no letter or digit to search for"),
        ({"q": 'a "b'}, "the quote at 2 is not closed"),
        ({"q": "a b c d e f g h i"}, "at most 8 words and phrases"),
        ({"q": "x" * 513}, "at most 512 characters"),
        ({"q": "x", "in": "input,thoughts"}, "'thoughts' is no part of a step"),
        ({"q": "x", "cursor": "WzEsMl0"}, "not one that this list gave"),
        ({"q": "x", "limit": 201}, "limit"),
        ({}, "q: "),
    ],
)
def test_what_cannot_be_looked_for_is_told_in_words(
    client: TestClient, parameters: dict[str, str], words: str
) -> None:
    answer = client.get("/v1/search", params=parameters)
    assert answer.status_code == 422
    assert words in answer.json()["detail"]


def test_a_store_that_does_not_answer_is_told(client: TestClient, store: ShelfStore) -> None:
    store.error = StoreUnavailableError("gone")
    assert client.get("/v1/search", params={"q": "x"}).status_code == 503


def test_with_search_switched_off_it_says_so(store: ShelfStore) -> None:
    app = create_app(store, Metrics(), Locks().access, ServingProcess(has_search=False))
    with TestClient(app, base_url="http://127.0.0.1:8080") as client:
        answer = client.get("/v1/search", params={"q": "x"})
    assert answer.status_code == 501
    assert "--no-search" in answer.json()["detail"]


@pytest.mark.parametrize(
    ("path", "parameter", "where"),
    [
        ("/v1/trajectories", "where", '"rate limit"'),
        ("/v1/trajectories", "where", 'has_error and not (output: "refund")'),
        ("/v1/trajectories", "where", 'has(tool = "a" then output: "refund")'),
        ("/v1/trajectories", "where", 'has(input: "refund" under agent = "triage")'),
        ("/v1/trajectories", "where", 'count(output: "refund") > 2 or has_error'),
        ("/v1/steps", "where", 'output: "refund"'),
        ("/v1/steps", "run_where", '"refund"'),
        ("/v1/stats", "where", '"refund"'),
    ],
)
def test_no_words_are_asked_for_where_none_are_indexed(
    store: ShelfStore, path: str, parameter: str, where: str
) -> None:
    """Without an index of words such a query would miss new runs unnoticed, so it is refused."""
    asked = {parameter: where, "metrics": "count"} if path == "/v1/stats" else {parameter: where}
    for has_search, status in ((False, 501), (True, 200)):
        process = ServingProcess(has_search=has_search)
        app = create_app(store, Metrics(), Locks().access, process)
        with TestClient(app, base_url="http://127.0.0.1:8080") as client:
            answer = client.get(path, params=asked)
            assert answer.status_code == status, answer.text
            if not has_search:
                assert "--no-search" in answer.json()["detail"]
            other = client.get(path, params={**asked, parameter: "not (model = x)"})
            assert other.status_code == 200, other.text


@pytest.mark.parametrize("asked", [{"where": '"refund"'}, {"q": "refund"}])
def test_a_question_in_a_body_is_refused_too(store: ShelfStore, asked: dict[str, str]) -> None:
    app = create_app(store, Metrics(), Locks().access, ServingProcess(has_search=False))
    with TestClient(app, base_url="http://127.0.0.1:8080") as client:
        assert client.post("/v1/trajectories/search", json=asked).status_code == 501


@pytest.mark.parametrize("q", ["", " ", "!!! --", "___", "a b c d e f g h i", 'a "b', "x" * 513])
def test_words_of_a_list_are_refused_as_those_of_a_search(client: TestClient, q: str) -> None:
    by_url = client.get("/v1/trajectories", params={"q": q})
    by_body = client.post("/v1/trajectories/search", json={"q": q})
    assert by_url.status_code == by_body.status_code == 422
    (fault,) = by_url.json()["errors"]
    assert fault["parameter"] == "q"
    assert by_body.json()["errors"] == [fault]
    assert client.get("/v1/search", params={"q": q}).json()["errors"] == [fault]
