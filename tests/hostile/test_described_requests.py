"""Requests generated from the OpenAPI description, right and wrong, get only described answers.

The service is a real one with keys, which has stored captured runs and odd ones. The generated
requests are the same each time; the slow test generates more.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlencode

import httpx
import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, assume, given, settings
from tests.support.bad_protobuf import rows
from tests.support.described_requests import CHECKS, right_and_wrong
from tests.support.ground_truth import all_captures

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from schemathesis import BaseSchema
    from tests.conftest import RunningSpanloom, RunSpanloom, StartSpanloom
    from tests.support.agents import Json
    from tests.support.described_requests import Request

QUICK = ("--root-quiet-s=0.2", "--no-root-quiet-s=0.5")
DIALECTS = ("js-langfuse", "logfire-pydantic-ai", "other-autogen", "other-smolagents-openinference")
ODD = ("B17", "B40", "B41", "B42", "B43")
BUILT_S = 60.0
LONGEST_QUERY = 60_000
"""Longer request lines are refused before the API reads them; ``test_bad_heads.py`` tests this."""


class Described(NamedTuple):
    """A service, its OpenAPI description, a key for all of it, and ids of stored objects."""

    api: str
    schema: BaseSchema
    headers: dict[str, str]
    known: Mapping[str, Sequence[str]]


@pytest.fixture(scope="module")
def described(
    start_shared_spanloom: StartSpanloom,
    run_spanloom: RunSpanloom,
    tmp_path_factory: pytest.TempPathFactory,
) -> Described:
    data = tmp_path_factory.mktemp("data")
    scopes = "--scopes=ingest,read,annotate,admin"
    made = run_spanloom("keys", "create", "--all-projects", scopes, f"--data-dir={data}")
    headers = {"Authorization": f"Bearer {made.stdout.strip()}"}
    service = start_shared_spanloom("serve", *QUICK, data_dir=data)
    service.wait_until_ready()
    last = send(service, headers)
    schema = schemathesis.openapi.from_dict(httpx.get(f"{service.api}/openapi.json").json())
    refused = schema.config.checks.negative_data_rejection
    refused.expected_statuses = [*refused.expected_statuses, "413"]  # for bodies that are too large
    schema.config.generation.with_security_parameters = False  # made-up keys open nothing
    with httpx.Client(base_url=service.api, headers=headers) as api:
        return Described(service.api, schema, headers, known(api, last))


def send(service: RunningSpanloom, headers: Mapping[str, str]) -> str:
    """Send runs and odd spans; return the id of the trace that was sent last."""
    odd = [row for row in rows() if row.name.startswith(ODD)]
    with httpx.Client(base_url=service.addresses["otlp_http"], headers=headers) as door:
        for capture in (capture for capture in all_captures() if capture.dialect in DIALECTS):
            for path, kind, body in capture.posts():
                door.post(path, content=body, headers={"Content-Type": kind}).raise_for_status()
        for number, row in enumerate(odd, 1):
            body, named = row.body(number.to_bytes(16, "big")), {"Content-Type": row.kind}
            door.post("/v1/traces", content=body, headers=named).raise_for_status()
    return f"{len(odd):032x}"


def known(api: httpx.Client, last: str) -> Mapping[str, Sequence[str]]:
    """Wait for the trace that was sent last; return ids of stored objects, keyed by parameter."""
    until = time.monotonic() + BUILT_S
    items: Sequence[Json] = []
    while last not in {item["trace_id"] for item in items if item["status"] != "live"}:
        assert time.monotonic() < until, f"{last} is not there"
        time.sleep(0.1)
        items = api.get("/v1/trajectories?has_steps=any&limit=1000").json()["items"]
    wanted = {"project": "p", "scopes": ["read"]}
    view = {"page": "runs", "name": "all", "parameters": {}}
    spans = [
        span
        for item in items
        for span in api.get(f"/v1/trajectories/{item['trace_id']}/spans").json()["spans"]
    ]
    return {
        "trace_id": [item["trace_id"] for item in items],
        "span_id": [span["span_id"] for span in spans],
        "step_id": [span["step_id"] for span in spans if span["step_id"]],
        "conversation_id": [named for item in items if (named := item["conversation_id"])],
        "replay_id": [api.post("/v1/replays").json()["id"]],
        "key_id": [api.post("/v1/keys", json=wanted).json()["id"]],
        "view_id": [api.post("/v1/views", json=view).json()["id"]],
    }


def ask(described: Described, examples: int) -> None:
    """Send ``examples`` requests to each operation, right and wrong ones, and check the answers."""
    with requests.Session() as session:
        for strategy in right_and_wrong(described.schema, described.known):

            @settings(
                max_examples=examples,
                deadline=None,
                derandomize=True,
                database=None,
                suppress_health_check=list(HealthCheck),
            )
            @given(strategy)
            def check(made: Request) -> None:
                assume(len(urlencode(made.query or {}, doseq=True)) < LONGEST_QUERY)
                made.call_and_validate(described.api, session, described.headers, checks=CHECKS)

            check()


@pytest.mark.nightly
def test_every_answer_is_a_described_one(described: Described) -> None:
    ask(described, 2)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_every_answer_to_many_is_a_described_one(described: Described) -> None:
    ask(described, 500)
