"""Definitions sent as YAML: equal to those sent as JSON, with line numbers in errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from fastapi.testclient import TestClient
from tests.support.access import Locks
from tests.support.memory_store import MemoryStore

from spanloom.api.app import create_app
from spanloom.metrics import Metrics

if TYPE_CHECKING:
    from collections.abc import Iterator

RULE = """
where: agent = "planner"   # a comment
evaluators:
  - {name: limits, kind: rules, rules: {max_tool_calls: 4}}
sample: 0.5
"""
ALERT = """
where: has(tool = "refund")
for: runs
channels:
  - {kind: webhook, url: https://alerts.example/hook}
"""
DATASET = """
description: |
  Trips
  to book
evaluators:
  - {name: path, kind: match, mode: in_order}
"""


@pytest.fixture
def client() -> Iterator[TestClient]:
    app = create_app(MemoryStore(), Metrics(), Locks().access)
    with TestClient(app, base_url="http://127.0.0.1:8080") as made:
        yield made


def put(client: TestClient, path: str, text: str | bytes, kind: str = "application/yaml") -> Any:
    return client.put(f"/v1/{path}", content=text, headers={"content-type": kind})


@pytest.mark.parametrize(
    "kind", ["application/yaml", "text/yaml; charset=utf-8", "APPLICATION/YAML"]
)
def test_yaml_says_the_same_as_json(client: TestClient, kind: str) -> None:
    rule = put(client, "online-rules/r", RULE, kind)
    assert rule.status_code == 200, rule.text
    assert (rule.json()["where"], rule.json()["sample"]) == ('agent = "planner"', 0.5)
    alert = put(client, "alerts/a", ALERT, kind)
    assert alert.status_code == 200, alert.text
    dataset = put(client, "datasets/d", DATASET, kind)
    assert dataset.json()["description"] == "Trips\nto book\n"


FAULTS = [
    ("online-rules/r", RULE + "sampel: 1\n", "sampel", 6),
    ("online-rules/r", RULE.replace("0.5", "2"), "sample", 5),
    ("online-rules/r", RULE.replace("agent =", "agnt ="), "where", 2),
    ("online-rules/r", RULE.replace("max_tool_calls", "max_tol"), "evaluators.0", 4),
    ("alerts/a", ALERT.replace("tool =", "tol ="), "where", 2),
    ("alerts/a", ALERT.replace("webhook", "pigeon"), "channels.0", 5),
    ("datasets/d", DATASET.replace("in_order", "in_odrer"), "evaluators.0", 6),
    ("datasets/d", "description: [", "", 1),
    ("datasets/d", "a: &a [x, x]\nb: &b [*a, *a]\n" + "c: [*b, *b]\n", "", 1),
]


@pytest.mark.parametrize(("path", "text", "parameter", "line"), FAULTS)
def test_a_fault_has_its_line(
    client: TestClient, path: str, text: str, parameter: str, line: int
) -> None:
    answer = put(client, path, text)
    assert answer.status_code == 422, answer.text
    fault = answer.json()["errors"][0]
    assert fault["parameter"].startswith(parameter)
    assert fault["detail"].startswith(f"line {line}: "), fault


def test_what_is_no_text_is_refused(client: TestClient) -> None:
    assert put(client, "online-rules/r", b"\xff\xfe").status_code == 422
    assert put(client, "online-rules/r", b"").status_code == 422
