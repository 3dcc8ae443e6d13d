"""Runs that several annotators judge, for the tests of the queue and judging pages."""

from __future__ import annotations

import time
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

import httpx
from tests.support.annotated_runs import SEED
from tests.support.otlp_requests import message_of, wire_span
from tests.support.page_runs import LOOK_S, send, start_quick

from spanloom.core.model.annotation import ANNOTATOR_HEADER

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.conftest import RunningSpanloom, StartSpanloom

SCHEME = "step_evaluation"
SETTLED_S = 60.0
_NUMBERS = count()
STEPS = ("search_web", "click_result", "extract_text")
"""The tools of the published example."""


class Judged(NamedTuple):
    """A run of an agent that calls three tools."""

    trace: str
    steps: Sequence[str]


class Judges:
    """Calls a service's API as annotators."""

    def __init__(self, service: RunningSpanloom) -> None:
        """Use a running service."""
        self.service = service
        self.api = service.api

    def ask(self, method: str, path: str, who: str = "", **more: Any) -> Any:
        """Send a request; return the JSON of the response, which must have status 200."""
        headers = {ANNOTATOR_HEADER: quote(who)} if who else {}
        answer = httpx.request(method, self.api + path, headers=headers, timeout=30, **more)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def put_scheme(self) -> None:
        """Store the scheme of the published example."""
        self.ask("PUT", f"/v1/schemes/{SCHEME}", "lead", json={"text": SEED})

    def put_queue(self, name: str, **more: Any) -> Any:
        """Store a queue of the scheme for ada and bo, each of whom judges each run."""
        body = {"scheme": SCHEME, "annotators": ["ada", "bo"], "each": 2, **more}
        return self.ask("PUT", f"/v1/queues/{quote(name)}", "lead", json=body)

    def mark(self, run: Judged, who: str, *correctness: str, **more: Any) -> None:
        """Judge the steps of a run in order; an empty text skips a step."""
        items = [
            {
                "write_id": f"judging-{next(_NUMBERS):06}",
                "step_id": step,
                "correctness": mark,
                **({"severity": "major", "error_type": "execution"} if mark == "incorrect" else {}),
            }
            for step, mark in zip(run.steps, correctness, strict=True)
            if mark
        ]
        path = f"/v1/trajectories/{run.trace}/annotations"
        self.ask("POST", path, who, json={"scheme": SCHEME, "items": items, **more})

    def done(self, name: str, run: Judged, *annotators: str) -> None:
        """Mark a run as done for these annotators."""
        for who in annotators:
            self.ask("POST", f"/v1/queues/{quote(name)}/items/{run.trace}/done", who, json={})

    def send_runs(self, count: int) -> Sequence[Judged]:
        """Send runs 1 to ``count`` at once, and wait until all are settled."""
        traces = [f"{number:032x}" for number in range(1, count + 1)]
        begun_ns = time.time_ns() - 60_000_000_000
        spans = [
            _span(trace, n, begun_ns + at * 1_000_000)
            for at, trace in enumerate(traces, start=1)
            for n in range(1, 5)
        ]
        send(self.service, message_of(spans, {"service.name": "judging"}))
        return [Judged(trace, self._steps(trace)) for trace in traces]

    def _steps(self, trace: str) -> Sequence[str]:
        until = time.monotonic() + SETTLED_S
        while time.monotonic() < until:
            answer = httpx.get(f"{self.api}/v1/trajectories/{trace}")
            if answer.status_code == 200 and answer.json()["extraction"]["status"] == "settled":
                (agent,) = answer.json()["agent_steps"]
                return [step["id"] for step in agent["steps"]]
            time.sleep(LOOK_S)
        raise AssertionError(f"{trace} was not settled within {SETTLED_S:g} s")


def _span(trace: str, number: int, start_ns: int) -> Any:
    is_agent = number == 1
    name = "browser" if is_agent else STEPS[number - 2]
    attributes: dict[str, object] = {
        "gen_ai.operation.name": "invoke_agent" if is_agent else "execute_tool",
        "gen_ai.agent.name" if is_agent else "gen_ai.tool.name": name,
    }
    if not is_agent:
        attributes["gen_ai.tool.call.arguments"] = f'{{"of":"{trace[-4:]}"}}'
        attributes["gen_ai.tool.call.result"] = f"result {number}"
    span = wire_span(trace, number, 0 if is_agent else 1, name, start_ns + number, attributes)
    span.end_time_unix_nano = start_ns + 20_000_000
    return span


class Team(NamedTuple):
    """The service, and the runs that were sent to it."""

    judges: Judges
    runs: Sequence[Judged]

    @property
    def api(self) -> str:
        return self.judges.api

    @classmethod
    def with_runs(cls, start: StartSpanloom, count: int) -> Team:
        """Start a service in which runs settle at once, and send some runs."""
        judges = Judges(start_quick(start))
        return cls(judges, judges.send_runs(count))
