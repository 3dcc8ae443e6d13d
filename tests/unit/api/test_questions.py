"""Queries over HTTP: ``where``, orders, metrics and fields, and the positions of mistakes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from spanloom.core.errors import InvalidQueryError

if TYPE_CHECKING:
    from starlette.testclient import TestClient
    from tests.unit.api.conftest import ShelfStore

LIST, SEARCH, STATS = "/v1/trajectories", "/v1/trajectories/search", "/v1/stats"
FACETS = "/v1/facets"


def test_every_problem_of_a_where_is_told_at_once_with_its_place(client: TestClient) -> None:
    answer = client.get(LIST, params={"where": "durtion > 5s and status = lve"})
    assert answer.status_code == 422
    first, second = answer.json()["errors"]
    assert (first["parameter"], first["position"], first["length"]) == ("where", 0, 7)
    assert first["message"] == "no run field 'durtion'"
    assert first["did_you_mean"] == ["duration"]
    assert (second["position"], second["did_you_mean"]) == (26, ["live"])


def test_a_where_of_runs_beside_one_of_steps_is_told_by_its_parameter(client: TestClient) -> None:
    asked = {"of": "steps", "where": "error", "run_where": "user ="}
    (problem,) = client.get(STATS, params=asked).json()["errors"]
    assert (problem["parameter"], problem["position"]) == ("run_where", 6)


@pytest.mark.parametrize(
    ("path", "asked", "parameter", "stands_at", "meant"),
    [
        (LIST, {"order": "-duratoin"}, "order", (1, 8), "duration"),
        (LIST, {"fields": "core, cots"}, "fields", (6, 4), "cost"),
        ("/v1/steps", {"fields": "core,tpye"}, "fields", (5, 4), "type"),
        ("/v1/steps", {"order": "-tokns"}, "order", (1, 5), "tokens"),
        (STATS, {"metrics": "count, p95(duratoin)"}, "metrics", (11, 8), "duration"),
        (STATS, {"of": "steps", "metrics": "count,rate(eror)"}, "metrics", (11, 4), "error"),
        (STATS, {"of": "steps", "by": "tool, agnt"}, "by", (6, 4), "agent"),
        (FACETS, {"fields": "agent,modle"}, "fields", (6, 5), "model"),
        ("/v1/fields/agnt/values", {}, "name", (0, 4), "agent"),
    ],
)
def test_every_text_of_a_question_is_told_with_its_place(
    client: TestClient,
    path: str,
    asked: dict[str, str],
    parameter: str,
    stands_at: tuple[int, int],
    meant: str,
) -> None:
    answer = client.get(path, params=asked)
    assert answer.status_code == 422
    (problem,) = answer.json()["errors"]
    assert problem["parameter"] == parameter
    assert (problem["position"], problem["length"]) == stands_at
    assert problem["did_you_mean"][0] == meant
    assert meant in problem["expected"]
    assert answer.json()["detail"].startswith(f"{parameter}: {problem['message']} (at ")


def test_what_is_wrong_in_several_texts_is_told_at_once(client: TestClient) -> None:
    wrong = {"where": "durtion > 5s and status = lve", "order": "-cots", "fields": "root"}
    errors = client.get(LIST, params=wrong).json()["errors"]
    assert [(one["parameter"], one["position"]) for one in errors] == [
        *(("where", 0), ("where", 26), ("order", 1), ("fields", 0))
    ]
    by_body = client.post(SEARCH, json=wrong).json()["errors"]
    assert by_body == errors
    numbers = {"of": "steps", "metrics": "p95(x),sum", "by": "y", "where": "z", "run_where": "w"}
    errors = client.get(STATS, params=numbers).json()["errors"]
    assert [one["parameter"] for one in errors] == [
        *("metrics", "metrics", "by", "run_where", "where")
    ]
    steps = {"where": "x", "run_where": "y", "fields": "z"}
    assert len(client.get("/v1/steps", params=steps).json()["errors"]) == 3


def test_a_text_to_look_for_is_told_with_its_place(client: TestClient) -> None:
    (problem,) = client.get("/v1/search", params={"q": 'a "b'}).json()["errors"]
    assert (problem["parameter"], problem["position"], problem["length"]) == ("q", 2, 2)
    asked = {"where": 'has_error and "___"'}  # underscores are not words of the index
    (problem,) = client.get(LIST, params=asked).json()["errors"]
    assert (problem["parameter"], problem["position"], problem["length"]) == ("where", 14, 5)


def test_a_number_stands_under_the_name_it_was_asked_by(client: TestClient) -> None:
    asked = {"metrics": "rate(error), count, rate(has_error)"}
    (item,) = client.get(STATS, params={**asked, "top": "1"}).json()["items"]
    assert list(item) == ["rate(error)", "count", "rate(has_error)"]
    table = client.get(STATS, params=asked, headers={"accept": "text/csv"}).text
    assert table.splitlines()[0] == "rate(error),count,rate(has_error)"


@pytest.mark.parametrize("name", ["%20", "agent,model", ","])
def test_values_are_those_of_one_field(client: TestClient, name: str) -> None:
    assert client.get(f"/v1/fields/{name}/values").status_code == 422


def test_a_search_answers_as_the_list_does(client: TestClient) -> None:
    asked: dict[str, Any] = {"where": "duration > 1ms", "limit": 2, "has_error": False}
    listed = client.get(LIST, params={**asked, "has_error": "false"}).json()
    searched = client.post(SEARCH, json=asked).json()
    assert searched == listed
    assert listed["next_cursor"]
    assert client.post(SEARCH, json={**asked, "cursor": listed["next_cursor"]}).status_code == 200
    assert client.post(SEARCH, json={"were": "x"}).status_code == 422


@pytest.mark.parametrize("other", [{"where": "steps > 1"}, {"order": "start"}, {"user": "ada"}])
def test_a_cursor_goes_on_with_its_own_question_alone(
    client: TestClient, other: dict[str, str]
) -> None:
    cursor = client.get(LIST, params={"limit": 1}).json()["next_cursor"]
    assert client.get(LIST, params={"limit": 2, "cursor": cursor}).status_code == 200
    answer = client.get(LIST, params={"limit": 1, "cursor": cursor, **other})
    assert answer.status_code == 422
    assert "another query" in answer.json()["detail"]


@pytest.mark.parametrize(
    ("path", "asked", "said"),
    [
        (LIST, {"order": "-duratoin"}, "did you mean duration?"),
        (LIST, {"order": "root_name"}, "cannot be ordered by"),
        ("/v1/steps", {"order": "tool_steps"}, "steps cannot be ordered by 'tool_steps'"),
        ("/v1/steps", {"order": "score"}, "it is one of start, duration"),
        (STATS, {"metrics": "p95(duratoin)"}, "did you mean duration?"),
        (STATS, {"metrics": "median(duration)"}, "p95"),
        (STATS, {"metrics": "rate(duration)"}, "has_error"),
        (STATS, {"metrics": ",".join(["count"] * 13)}, "at most 12"),
        (STATS, {"by": "agnt"}, "did you mean agent?"),
        (STATS, {"by": "agent,model,user,status"}, "at most 3"),
        (STATS, {"interval": "1y"}, "15m"),
        (STATS, {"timezone": "Europe/Berlin"}, "interval=1d"),
        (STATS, {"run_where": "has_error"}, "of=steps"),
        ("/v1/fields/input/values", {}, "cannot be asked for here"),
        (FACETS, {"fields": "agent,modle"}, "did you mean model?"),
        (FACETS, {"fields": " , "}, "name one at least"),
        (FACETS, {"fields": ",".join(f"f{n}" for n in range(13))}, "at most 12"),
        (FACETS, {"fields": "agent", "where": "durtion > 1s"}, "durtion"),
    ],
)
def test_what_cannot_be_asked_is_said(
    client: TestClient, path: str, asked: dict[str, str], said: str
) -> None:
    answer = client.get(path, params=asked)
    assert answer.status_code == 422
    assert said in answer.json()["detail"]


def test_numbers_stand_under_their_names(client: TestClient) -> None:
    asked = {"metrics": "count,p95(duration)", "by": "agent", "interval": "1h", "top": "2"}
    assert client.get(STATS, params=asked).json() == {
        "items": 2 * [{"start": "5000", "agent": "planner", "count": 2, "p95(duration)": 2}],
        "truncated": True,
    }


def test_a_question_that_asks_too_much_is_refused(client: TestClient, store: ShelfStore) -> None:
    store.error = InvalidQueryError("narrow the time range")
    for path in (LIST, STATS):
        assert client.get(path).status_code == 422


def test_fields_and_their_values_are_listed(client: TestClient) -> None:
    items = client.get("/v1/fields").json()["items"]
    duration = next(i for i in items if (i["of"], i["name"]) == ("trajectories", "duration"))
    assert duration["is_ordered"]
    of_steps = {i["name"] for i in items if i["of"] == "steps" and i["is_ordered"]}
    assert {"duration", "first_token", "tokens", "cost"} <= of_steps
    assert not {"name", "score", "output", "error"} & of_steps
    assert ">=" in duration["operators"]
    values = client.get("/v1/fields/agent/values", params={"of": "steps", "limit": 1}).json()
    assert values == {"items": [{"value": "planner", "count": 2}]}


VALUES = {
    **dict.fromkeys(("text", "words"), '"x"'),
    "integer": "3",
    "number": "0.5",
    "duration": "2s",
    "time": "-24h",
    "flag": "true",
}


def test_every_operator_that_is_listed_is_taken(client: TestClient) -> None:
    for field in client.get("/v1/fields").json()["items"]:
        path = LIST if field["of"] == "trajectories" else "/v1/steps"
        name = f"{field['name']}{'.key' if field['has_keys'] else ''}"
        value = VALUES.get(field["type"]) or field["choices"][0]
        for operator in field["operators"]:
            ends = {"exists": "", "in": f" ({value})"}.get(operator, f" {value}")
            answer = client.get(path, params={"where": f"{name} {operator}{ends}"})
            assert answer.status_code == 200, answer.text


def test_several_fields_are_asked_for_at_once(client: TestClient) -> None:
    asked: dict[str, str | int] = {
        "fields": "agent, status,agent",
        "where": "has_error",
        "limit": 2,
    }
    value = {"value": "planner", "count": 2}
    assert client.get(FACETS, params=asked).json() == {
        "items": [
            {"field": name, "values": [value, value], "truncated": True}
            for name in ("agent", "status")
        ]
    }
    steps: dict[str, str | int] = {"fields": "type", "of": "steps", "where": "type = tool"}
    assert client.get(FACETS, params=steps).json()["items"][0]["field"] == "type"
    assert client.get(FACETS).status_code == 422
    assert client.get(FACETS, params={**asked, "limit": 101}).status_code == 422


@pytest.mark.parametrize(
    ("line", "where"),
    [
        ("type:tool -is:annotated", "has(type = tool) and not annotated"),
        ("", ""),
        ("durtion > 5s", 'durtion > "5s"'),
        ("(" * 2_000 + ")" * 2_000, "(" * 2_000 + ")" * 2_000),
    ],
)
def test_a_line_is_spelled_out(client: TestClient, line: str, where: str) -> None:
    assert client.get("/v1/where", params={"line": line}).json() == {"where": where}


def test_a_line_is_all_that_is_spelled_out(client: TestClient) -> None:
    assert client.get("/v1/where").status_code == 422
    assert client.get("/v1/where?line=a&where=b").status_code == 422


@pytest.mark.parametrize(
    ("asked", "by", "right"),
    [
        ("count, sum(cost)", "agent", "--of steps --by owner --where 'type = model'"),
        ("avg(input_tokens)", "user,agent", "--of steps --by owner --where 'type = model'"),
        ("sum(duration)", "model", "--of steps --by model --where 'type = model'"),
    ],
)
def test_totals_of_runs_by_what_they_share_are_refused_with_the_right_question(
    client: TestClient, asked: str, by: str, right: str
) -> None:
    answer = client.get(STATS, params={"metrics": asked, "by": by})
    assert answer.status_code == 422
    (problem,) = answer.json()["errors"]
    assert right in problem["message"]
    begins, length = problem["position"], problem["length"]
    assert asked[begins : begins + length] == asked.rpartition(", ")[2]
    steps = {"metrics": asked, "by": "owner", "of": "steps", "where": "type = model"}
    assert client.get(STATS, params=steps).status_code == 200


@pytest.mark.parametrize("by", ["agent", "project,tool"])
@pytest.mark.parametrize("asked", ["sum(cost)", "count,p95(input_tokens)", "avg(first_token)"])
def test_numbers_of_calls_by_what_calls_do_not_have_are_refused(
    client: TestClient, asked: str, by: str
) -> None:
    answer = client.get(STATS, params={"metrics": asked, "by": by, "of": "steps"})
    assert answer.status_code == 422
    assert "--of steps --by owner" in answer.json()["errors"][0]["message"]
    others = {"metrics": "count,rate(error),max(duration)", "by": by, "of": "steps"}
    assert client.get(STATS, params=others).status_code == 200


@pytest.mark.parametrize(
    ("asked", "by"), [("count", "tool"), ("max(position)", "agent"), ("count", "owner")]
)
def test_fields_of_steps_are_named_as_such(client: TestClient, asked: str, by: str) -> None:
    answer = client.get(STATS, params={"metrics": asked, "by": by})
    assert answer.status_code == 422
    assert "is a field of steps: --of steps" in answer.json()["errors"][0]["message"]


def test_other_numbers_of_runs_by_agent_are_counted(client: TestClient) -> None:
    asked = "count,rate(error),avg(duration),p95(cost),max(input_tokens)"
    assert client.get(STATS, params={"metrics": asked, "by": "agent"}).status_code == 200
    assert client.get(STATS, params={"metrics": "sum(cost)", "by": "tag"}).status_code == 200
