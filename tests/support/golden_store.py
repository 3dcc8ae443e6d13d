"""A service with the same runs, annotations and scores on every start.

All spans are stored first and extracted by a second process, so each run is built once from all of
its spans, however slow the machine is. Times are taken from the recordings; prices are fixed.
"""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, NamedTuple

import httpx
from tests.support.annotated_runs import SEED
from tests.support.conversations import BEGUN_NS, TURNS, turn_spans
from tests.support.ground_truth import Capture
from tests.support.otlp_requests import message_of
from tests.support.page_runs import send as send_request
from tests.support.sent_captures import send as send_capture

from spanloom import __version__
from spanloom.core.model.annotation import ANNOTATOR_HEADER

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from tests.conftest import RunningSpanloom, StartSpanloom

CAPTURES = (
    Capture("openinference-langchain", "react_tools"),
    Capture("openinference-langchain", "node_retry_policy"),
    Capture("traceloop", "tool_error_raised"),
    Capture("traceloop", "cancelled_tool"),
    Capture("eino-langfuse", "multi_turn"),
    Capture("eino-langfuse", "interrupt_resume"),
    Capture("other-openai-langfuse", "handoff_team"),
    Capture("otel-genai-openai-events", "responses_api"),
    Capture("langsmith", "rag_chain"),
)
"""Runs that are ok, recovered, failed, cancelled, paused; a conversation; a team."""
TALK, TALK_PROJECT = "trip to Bergen", "travel"
TALK_TRACES = tuple(f"{number:032x}" for number in range(0xB0, 0xB0 + len(TURNS)))
RUN = "b0".rjust(32, "0")
"""The first run of the conversation, which is annotated."""
SCHEME = "step_evaluation"
PRICES = '[[prices]]\nmodel = "*"\ninput = 1.0\noutput = 10.0\n'
"""Fixed prices, so that no new price list changes a response."""
NEVER = {f"SPANLOOM_{name}_S": "3600" for name in ("ROOT_QUIET", "NO_ROOT_QUIET", "GROWING_FIRST")}
AT_ONCE = {f"SPANLOOM_{name}_S": "0.2" for name in ("ROOT_QUIET", "NO_ROOT_QUIET", "POLL")}
SETTLED_S = 60.0


class GoldenService(NamedTuple):
    """A started service, and the ids of its runs."""

    api: str
    runs: Mapping[str, str]
    """The first run of each capture, by its scenario."""
    begun_ns: int
    """Start of the service; later times are not from a recording."""

    def steady(self, text: str) -> str:
        """Return a text without varying values: times since the start, ids of views, ports."""
        text = re.sub(r'"[0-9a-f]{16}"(,\s+"project": "\w+",\s+"page")', r'"<id>"\1', text)
        text = re.sub(r"\d{13,19}", self._time, text)
        text = re.sub(r'(127\.0\.0\.1:|"(?:sql|otlp_http|otlp_grpc)_port": )\d+', r"\1<port>", text)
        return re.sub(rf'("version": "|spanloom ){re.escape(__version__)}', r"\1<version>", text)

    def _time(self, found: re.Match[str]) -> str:
        """Replace a matched number if it is a time since the start of the service."""
        number = found[0]
        is_time = len(number) in (13, 16, 19)  # milliseconds, microseconds, nanoseconds
        return "<now>" if is_time and int(number.ljust(19, "9")) > self.begun_ns else number


def start_golden_service(start: StartSpanloom, folder: Path) -> GoldenService:
    """Start the service, send all runs, and return once nothing changes any more."""
    begun_ns = time.time_ns()
    storing = start(env=NEVER)
    storing.wait_until_ready()
    _send(storing)
    assert storing.stop() == 0
    prices = folder / "prices.toml"
    prices.write_text(PRICES)
    service = start(
        "serve",
        "--sql-port=0",
        "--extract-workers=0",
        f"--prices-file={prices}",
        env={**AT_ONCE, "TZ": "UTC"},
    )
    service.wait_until_ready()
    count = sum(len(capture.spans_by_trace) for capture in CAPTURES) + len(TALK_TRACES)
    _wait_until_settled(service.api, count)
    _annotate(service.api)
    runs = {capture.scenario: next(iter(capture.spans_by_trace)) for capture in CAPTURES}
    return GoldenService(service.api, runs, begun_ns)


def _send(service: RunningSpanloom) -> None:
    for capture in CAPTURES:
        send_capture(service, capture)
    begun = BEGUN_NS
    resource = {"service.name": "talk", "spanloom.project": TALK_PROJECT}
    for trace, turn in zip(TALK_TRACES, TURNS, strict=True):
        begun += turn.after
        send_request(service, message_of(turn_spans(trace, turn, begun, TALK), resource))


def _wait_until_settled(api: str, count: int) -> None:
    """Wait until all runs are listed and every text in them is found by its words."""
    until = time.monotonic() + SETTLED_S
    stats_query = {"metrics": "count", "where": "status = settled", "has_steps": "any"}
    while time.monotonic() < until:
        items = httpx.get(f"{api}/v1/stats", params=stats_query)
        words = httpx.get(f"{api}/v1/search", params={"q": "welcome"}).json()["items"]
        if items.json()["items"] and items.json()["items"][0]["count"] == count and words:
            return
        time.sleep(0.1)
    raise AssertionError(f"{count} runs were not settled within {SETTLED_S:g} s: {items.text}")


def _annotate(api: str) -> None:
    """Annotate a run as ada and bo, store a queue of two runs, and store scores."""
    _ask(api, "PUT", f"/v1/schemes/{SCHEME}", "lead", {"text": SEED})
    run = f"/v1/trajectories/{RUN}/annotations"
    for who, judged in (("ada", ("correct", "incorrect")), ("bo", ("correct", "correct"))):
        _ask(api, "POST", run, who, {"scheme": SCHEME, "items": _marks(who, judged)})
    queue = {"scheme": SCHEME, "annotators": ["ada", "bo"], "each": 2}
    _ask(api, "PUT", "/v1/queues/week%203", "lead", {**queue, "trace_ids": TALK_TRACES[:2]})
    _ask(api, "POST", f"/v1/queues/week%203/items/{RUN}/done", "ada", {})
    view = {
        "page": "runs",
        "name": "Failures",
        "parameters": {"where": "outcome = failed", "since": "7d"},
    }
    _ask(api, "POST", "/v1/views", "ada", view)
    slack = {"kind": "slack", "url": "https://hooks.slack.com/services/T0/B0/secret"}
    alert = {"where": "duration > 5m", "channels": [slack], "severity": "warning"}
    _ask(api, "PUT", "/v1/alerts/slow", "ada", alert)
    judge = {"trace_id": RUN, "author": "judge", "source": "llm"}
    scores = [{**judge, "name": "helpful", "value": 0.9, "passed": True, "rationale": "It helps."}]
    scores += [{**judge, "name": "tone", "value": "friendly"}]
    _ask(api, "POST", "/v1/scores", "judge", {"items": scores})


def _marks(who: str, judged: Sequence[str]) -> Sequence[dict[str, str]]:
    """Return annotations of the run's tools: its third and fourth span."""
    wrong = {"severity": "major", "error_type": "execution", "rationale": "The wrong hotel."}
    return [
        {
            "write_id": f"golden-{who}-{at}",
            "step_id": f"{at:016x}",
            "correctness": mark,
            **(wrong if mark == "incorrect" else {}),
        }
        for at, mark in enumerate(judged, 3)
    ]


def _ask(api: str, method: str, path: str, who: str, body: object) -> None:
    headers, query = {ANNOTATOR_HEADER: who}, {"project": TALK_PROJECT}
    answer = httpx.request(method, api + path, headers=headers, json=body, params=query, timeout=30)
    assert answer.status_code == 200, answer.text
