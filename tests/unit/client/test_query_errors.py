"""A mistake in a query is shown at its position, by a caret below the query."""

from __future__ import annotations

import httpx
import pytest

from spanloom import Client
from spanloom.client import InvalidParameterError, QueryError
from spanloom.client.request import Call, Request, body_of
from spanloom.core.showing.values import point_at

FAULT = {
    "param": "where",
    "position": 14,
    "length": 7,
    "message": "no trajectory field 'durtion'",
    "did_you_mean": ["duration"],
}


def refusing(*errors: dict[str, object]) -> Client:
    problem = {"title": "Unprocessable Content", "detail": "see errors", "errors": errors}
    headers = {"Content-Type": "application/problem+json"}
    answer = httpx.Response(422, json=problem, headers=headers)
    return Client("http://localhost", transport=httpx.MockTransport(lambda _: answer))


def test_a_caret_stands_below_the_place() -> None:
    with refusing(FAULT) as client, pytest.raises(QueryError) as found:
        list(client.trajectories("has_error and durtion > 5s"))
    assert str(found.value).splitlines() == [
        "where: no trajectory field 'durtion'; did you mean duration?",
        "  has_error and durtion > 5s",
        "                ^^^^^^^",
    ]
    assert isinstance(found.value, InvalidParameterError)
    (fault,) = found.value.faults
    assert (fault.parameter, fault.position, fault.did_you_mean) == ("where", 14, ("duration",))


def test_each_fault_stands_below_its_own_text() -> None:
    order = {**FAULT, "param": "order", "position": 1, "message": "no number 'durtion'"}
    with refusing(FAULT, order) as client, pytest.raises(QueryError) as found:
        list(client.trajectories("has_error and durtion > 5s", order="-durtion"))
    assert str(found.value).splitlines()[3:] == [
        "order: no number 'durtion'; did you mean duration?",
        "  -durtion",
        "   ^^^^^^^",
    ]
    assert found.value.query == "has_error and durtion > 5s"


def test_a_query_in_a_body_is_shown_too() -> None:
    search = Request("POST", "/v1/trajectories/search", body=b'{"where": "x"}')
    fault = {**FAULT, "position": 0, "length": 1, "did_you_mean": []}
    with refusing(fault) as client, pytest.raises(QueryError, match=r"durtion'\n  x\n  \^$"):
        client.ask(Call(search, body_of))


def test_faults_of_other_parameters_are_no_query_errors() -> None:
    with (
        refusing({"parameter": "limit", "detail": "too many"}) as client,
        pytest.raises(InvalidParameterError, match="see errors") as found,
    ):
        list(client.trajectories("has_error"))
    assert type(found.value) is InvalidParameterError


@pytest.mark.parametrize(
    ("text", "position", "length", "line", "carets"),
    [
        ("退款 : x", 3, 1, "退款 : x", "     ^"),
        ("a = '退款'", 5, 2, "a = '退款'", "     ^^^^"),
        ("abc", 3, 1, "abc", "   ^"),
        ("abc", 99, 5, "abc", "   ^"),
        ("one\ntwo three\nfour", 8, 5, "two three", "    ^^^^^"),
        ("a\x1b[31mb", 6, 1, "a\\x1b[31mb", "         ^"),
        ("x" * 100, 50, 1, "…" + "x" * 71 + "…", " " * 41 + "^"),
        ("", 0, 0, "", "^"),
    ],
)
def test_the_caret_stands_right_whatever_the_text(
    text: str, position: int, length: int, line: str, carets: str
) -> None:
    assert point_at(text, position, length) == (line, carets)
