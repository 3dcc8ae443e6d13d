"""Evaluation results of real SDKs are stored as scores, exported as OTLP, and read back equal."""

from __future__ import annotations

import json
import signal
import time
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from tests.support import programs
from tests.support.agents import SETTLED_S, run_program
from tests.support.agents_scored import RESULT

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.conftest import RunningSpanloom, StartSpanloom

    Scores = list[dict[str, Any]]

QUIET = ("serve", "--root-quiet-s=0.5")


@pytest.fixture(scope="module")
def spanloom(start_shared_spanloom: StartSpanloom) -> RunningSpanloom:
    return start_shared_spanloom(*QUIET)


def listed(api: str, **params: str) -> Scores:
    answer = httpx.get(f"{api}/v1/scores", params=params)
    assert answer.status_code == 200, answer.text
    found: Scores = answer.json()["items"]
    return found


def await_scores(api: str, trace_id: str, is_there: Callable[[Scores], bool]) -> Scores:
    until = time.monotonic() + SETTLED_S
    while not is_there(found := listed(api, trace_id=trace_id)):
        assert time.monotonic() < until, found
        time.sleep(0.1)
    return found


def places(scores: Scores) -> dict[str, tuple[Any, ...]]:
    return {s["name"]: (s["target"], s["step_id"], s["value"], s["label"]) for s in scores}


@pytest.mark.parametrize("way", ["http", "grpc"])
def test_results_of_a_stock_sdk_are_scores_here_and_elsewhere(
    spanloom: RunningSpanloom, start_spanloom: StartSpanloom, way: str, tmp_path: Path
) -> None:
    protocol = {"OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf"} if way == "http" else {}
    address = spanloom.addresses["otlp_http" if way == "http" else "otlp_grpc"]
    variables = {"OTEL_EXPORTER_OTLP_ENDPOINT": address, **protocol}
    run = run_program("agents_scored", way, variables=variables)
    document = httpx.get(f"{spanloom.api}/v1/trajectories/{run.trace_id}")
    wanted = {"by event", "by span", "before", "of the run", "of the response", "failed"}

    def is_there(scores: Scores) -> bool:
        return places(scores).keys() == wanted and all(s["target"] != "span" for s in scores)

    scores = await_scores(spanloom.api, run.trace_id, is_there)
    document = httpx.get(f"{spanloom.api}/v1/trajectories/{run.trace_id}").json()
    [chat] = [s for s in document["agent_steps"][0]["steps"] if s["type"] == "model"]
    assert document["extraction"]["step_counts"]["other"] == 1
    assert places(scores) == {
        "by event": ("step", chat["id"], 0.75, "good"),
        "by span": ("step", chat["id"], "polite", ""),
        "before": ("step", chat["id"], 1, ""),
        "of the run": ("trajectory", "", 0.5, ""),
        "of the response": ("step", chat["id"], 0.25, ""),
        "failed": ("step", chat["id"], None, ""),
    }
    authors = {s["name"]: s["author"] for s in scores}
    assert (authors["by event"], authors["before"]) == ("agent", "judge")
    file = tmp_path / "scores.jsonl"
    for order in ("export", "import"):
        files = ("--trace", run.trace_id, "-o", str(file)) if order == "export" else (str(file),)
        ran = programs.run("-m", "spanloom", "scores", order, *files, "--api-url", spanloom.api)
        assert (ran.returncode, ran.stderr) == (0, "")
    assert json.loads(ran.stdout)["stored"] == len(scores)
    assert timeless(listed(spanloom.api, trace_id=run.trace_id)) == timeless(scores)
    other = start_spanloom(*QUIET, data_dir=tmp_path / "other")
    sent = programs.run(
        *("-m", "spanloom", "scores", "export", "--trace", run.trace_id, "--format", "otlp"),
        *("--to", other.addresses["otlp_http"], "--api-url", spanloom.api),
    )
    assert (sent.returncode, sent.stderr) == (0, "")
    assert timeless(await_scores(other.api, run.trace_id, is_there)) == timeless(scores)


def timeless(scores: Scores) -> Scores:
    """Remove the field ``stale``, which depends on whether a run arrived before its score."""
    return [{name: value for name, value in s.items() if name != "stale"} for s in scores]


def test_scores_of_langfuse(spanloom: RunningSpanloom) -> None:
    if find_spec("langfuse") is None:
        pytest.skip("needs pip install -e '.[demo]' --group dev --group senders")
    variables = {
        "LANGFUSE_HOST": spanloom.addresses["otlp_http"],
        "LANGFUSE_PUBLIC_KEY": "pk",
        "LANGFUSE_SECRET_KEY": "sk",
    }
    run = run_program("agents_langfuse_scores", variables=variables)
    [call_id] = run.span_ids

    def is_there(scores: Scores) -> bool:
        return len(scores) == 4 and all(s["target"] != "span" for s in scores)

    scores = await_scores(spanloom.api, run.trace_id, is_there)
    assert places(scores) == {
        "number": ("step", call_id, 0.5, ""),
        "word": ("step", call_id, "fine", ""),
        "truth": ("trajectory", "", True, ""),
        "again": ("trajectory", "", 0.9, ""),
    }
    assert {s["author"] for s in scores} == {"langfuse"}


@pytest.mark.nightly
def test_an_acknowledged_result_survives_kills(start_spanloom: StartSpanloom) -> None:
    """The service is killed after each acknowledgement, and once more while it builds the run."""
    logs = ExportLogsServiceRequest()
    record = logs.resource_logs.add().scope_logs.add().log_records.add(event_name=RESULT)
    record.trace_id, record.span_id, record.time_unix_nano = b"t" * 16, b"s" * 8, 10**18
    record.attributes.add(key="gen_ai.evaluation.name").value.string_value = "good"
    record.attributes.add(key="gen_ai.evaluation.score.value").value.double_value = 0.5
    spans = ExportTraceServiceRequest()
    of_scope = spans.resource_spans.add().scope_spans.add()
    root, call = b"r" * 8, b"s" * 8
    for span_id, parent, operation in ((root, b"", "invoke_agent"), (call, root, "chat")):
        span = of_scope.spans.add(start_time_unix_nano=10**18, end_time_unix_nano=10**18 + 10**9)
        span.trace_id, span.span_id, span.parent_span_id = b"t" * 16, span_id, parent
        span.attributes.add(key="gen_ai.operation.name").value.string_value = operation
    for path, body in (("/v1/logs", logs), ("/v1/traces", spans), ("/v1/logs", logs)):
        spanloom = start_spanloom(*QUIET)
        answer = httpx.post(
            spanloom.addresses["otlp_http"] + path,
            content=body.SerializeToString(),
            headers={"Content-Type": "application/x-protobuf"},
        )
        assert (answer.status_code, answer.content) == (200, b"")
        assert spanloom.stop(signal.SIGKILL) == -signal.SIGKILL
    for wait_s in (0.6, 1.0, 1.4):
        spanloom = start_spanloom(*QUIET)
        time.sleep(wait_s)
        assert spanloom.stop(signal.SIGKILL) == -signal.SIGKILL
    spanloom = start_spanloom(*QUIET)

    def is_there(scores: Scores) -> bool:
        return bool(scores) and all(s["target"] == "step" for s in scores)

    [score] = await_scores(spanloom.api, "74" * 16, is_there)
    assert (score["step_id"], score["value"], score["author"]) == ("73" * 8, 0.5, "unknown")
    time.sleep(2)
    assert listed(spanloom.api) == [score]


def test_a_result_of_nothing_is_told(spanloom: RunningSpanloom) -> None:
    record = {"eventName": RESULT, "attributes": []}
    logs = {"resourceLogs": [{"scopeLogs": [{"logRecords": [record]}]}]}
    answer = httpx.post(spanloom.addresses["otlp_http"] + "/v1/logs", json=logs).json()
    assert answer["partialSuccess"]["rejectedLogRecords"] == "1"
    assert "gen_ai.response.id" in answer["partialSuccess"]["errorMessage"]
