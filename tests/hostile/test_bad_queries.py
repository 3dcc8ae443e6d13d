"""B51: harmful queries to the real API over the real store."""

from __future__ import annotations

import secrets
import time
from http.client import HTTPConnection
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

import httpx
import pytest
from tests.support.agents import await_trajectory
from tests.support.bad_inputs import one
from tests.support.doors import Doors

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.conftest import RunningSpanloom, StartSpanloom

HARM = (
    "' OR 1=1 --",
    '"; DROP TABLE spans; --',
    "{project:String}",
    "\\",
    "%",
    "(a+)+$",
    "\0",
    "\N{WAVING HAND SIGN}",
)


@pytest.fixture(scope="module")
def spanloom(start_shared_spanloom: StartSpanloom) -> RunningSpanloom:
    started = start_shared_spanloom("serve", "--root-quiet-s=0.2", "--no-root-quiet-s=0.5")
    started.wait_until_ready()
    return started


@pytest.fixture(scope="module")
def trace_id(spanloom: RunningSpanloom) -> str:
    """Send one span to the project ``default``; return its trace id once its run is listed."""
    trace = secrets.token_bytes(16)
    doors = Doors(spanloom.addresses)
    assert doors.post(one()(trace)).status == 200
    doors.close()
    await_trajectory(spanloom.api, trace.hex(), 1)
    ends = time.monotonic() + 30  # its row in the list is stored a moment after its document
    while not httpx.get(f"{spanloom.api}/v1/trajectories?has_steps=any").json()["items"]:
        assert time.monotonic() < ends
        time.sleep(0.05)
    return trace.hex()


@pytest.fixture(scope="module")
def api(spanloom: RunningSpanloom) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=spanloom.api, timeout=30) as client:
        yield client


@pytest.fixture(autouse=True)
def neighbours_are_still_there(api: httpx.Client, trace_id: str) -> Iterator[None]:
    yield
    listed = api.get("/v1/trajectories", params={"limit": 1, "has_steps": "any"}).json()["items"]
    assert [item["trace_id"] for item in listed] == [trace_id]


@pytest.mark.parametrize(
    "query",
    [
        *("limit=1000000000", "limit=-1", "limit=0", "limit=x", "limit=", "limit=1e3"),
        *("offset=-1", "nonsense=1", "cursor=x", "cursor=%00", "cursor=AAAA", "since=soon"),
        *("since=-1", "until=99999999999999999999", "since=2026-01-31", "status=x"),
    ],
)
def test_b51_a_query_that_cannot_be_used_is_422_and_names_its_parameter(
    query: str, api: httpx.Client
) -> None:
    answer = api.get(f"/v1/trajectories?{query}")
    assert answer.status_code == 422, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert query.partition("=")[0] in answer.json()["detail"]


@pytest.mark.parametrize("text", HARM)
def test_b51_a_filter_is_only_a_text(text: str, api: httpx.Client) -> None:
    """Filters match literally: characters of regular expressions and SQL have no meaning."""
    for name in name_filters(api):
        answer = api.get("/v1/trajectories", params={name: text})
        assert (answer.status_code, answer.json().get("items")) == (200, []), (name, answer.text)
    conversation = api.get("/v1/conversations/" + quote(text, safe=""))
    assert conversation.status_code == 404


def name_filters(api: httpx.Client) -> list[str]:
    """Return the names of the filters that take a string, as the OpenAPI description lists them."""
    operation = api.get("/openapi.json").json()["paths"]["/v1/trajectories"]["get"]
    return [
        parameter["name"]
        for parameter in operation["parameters"]
        if any(kind.get("maxLength") == 512 for kind in parameter["schema"].get("anyOf", []))
    ]


@pytest.mark.parametrize("size", [513, 10_000, 1_000_000])
def test_b51_a_filter_beyond_its_length_is_refused(size: int, api: httpx.Client) -> None:
    """A filter that is too long is refused with 422, or with 400 if the whole head is too long."""
    parts = urlsplit(str(api.base_url))
    asking = HTTPConnection(parts.netloc, timeout=30)  # httpx itself refuses long queries
    asking.request("GET", f"/v1/trajectories?project={'x' * size}")
    assert asking.getresponse().status == (422 if size < 60_000 else 400)
    asking.close()


@pytest.mark.parametrize("path", ["", "/spans"])
def test_b51_the_trace_of_another_project_is_not_there(
    path: str, api: httpx.Client, trace_id: str
) -> None:
    """A trace is found only in its own project; the tests of keys cover all routes."""
    for project in ("other", "' OR '1'='1"):
        answer = api.get(f"/v1/trajectories/{trace_id}{path}", params={"project": project})
        assert answer.status_code == 404


@pytest.mark.parametrize("bad", ["x", "0" * 31, "0" * 33, "g" * 32, "' OR 1=1", "%00", "..%2f.."])
def test_b51_a_trace_id_that_is_none(bad: str, api: httpx.Client) -> None:
    assert api.get(f"/v1/trajectories/{bad}").status_code in {404, 422}
