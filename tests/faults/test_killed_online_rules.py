"""Online rules judge each run once, whenever the service is killed, and again after a late span.

A judge calls a provider on loopback. After a kill no completed judgement is requested again, only
those whose requests were under way.
"""

from __future__ import annotations

import time
from itertools import count
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from tests.support.loopback_model import Answer, provider_of
from tests.support.otlp_requests import message_of, wire_span
from tests.support.scripted_judge import MODEL, answer

from spanloom.online.worker import THREADS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from tests.conftest import RunningSpanloom, StartSpanloom

RUNS = 20
"""Runs of each half: those before the rule was made, and those after."""
KILLS = 3
SOON_S = 90.0
CALLS = {"name": "calls", "kind": "rules", "rules": {"max_model_calls": 1}}
JUDGE = {"name": "polite", "kind": "judge", "model": MODEL, "criteria": "Polite?"}
CHAT = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"}
PROTOBUF = {"content-type": "application/x-protobuf"}
_span_ids = count(100)


def send(service: RunningSpanloom, numbers: range, calls: int = 1, *, root: bool = True) -> None:
    """Send runs with ``calls`` model calls each, or, without ``root``, more calls of such runs."""
    now_ns = time.time_ns()
    for number in numbers:
        trace_id = f"{number:032x}"
        agent = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": f"planner {number}"}
        spans = [wire_span(trace_id, 1, 0, "planner", now_ns, agent)] if root else []
        spans += [
            wire_span(trace_id, next(_span_ids), 1, "chat", now_ns + at, CHAT)
            for at in range(calls)
        ]
        url = f"{service.addresses['otlp_http']}/v1/traces"
        body = message_of(spans).SerializeToString()
        assert httpx.post(url, content=body, headers=PROTOBUF, timeout=30).status_code == 200


def ask(service: RunningSpanloom, path: str, **params: Any) -> dict[str, Any]:
    answered = httpx.get(f"{service.api}{path}", params=params, timeout=30)
    assert answered.status_code == 200, answered.text
    told: dict[str, Any] = answered.json()
    return told


def put(service: RunningSpanloom, name: str, **rule: Any) -> dict[str, Any]:
    answered = httpx.put(f"{service.api}/v1/online-rules/{name}", json=rule, timeout=30)
    assert answered.status_code == 200, answered.text
    told: dict[str, Any] = answered.json()
    return told


def progress(service: RunningSpanloom, name: str) -> dict[str, Any]:
    told: dict[str, Any] = ask(service, f"/v1/online-rules/{name}")["progress"]
    return told


def wait_for(is_there: Callable[[], bool], told: Callable[[], object]) -> None:
    until = time.monotonic() + SOON_S
    while not is_there():
        assert time.monotonic() < until, told()
        time.sleep(0.05)


def scores(service: RunningSpanloom, author: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = ask(service, "/v1/scores", author=author, limit=200)["items"]
    return found


class Killed:
    """A service that is killed and started again on the same data."""

    def __init__(self, start: StartSpanloom, tmp_path: Path, env: Mapping[str, str]) -> None:
        self._start, self._env = start, {**env, "SPANLOOM_JUDGE_CACHE": str(tmp_path / "kept")}
        self.now = self.start()

    def start(self) -> RunningSpanloom:
        self.now = self._start("serve", "--root-quiet-s=0.2", env=self._env)
        self.now.wait_until_ready()
        return self.now

    def kill(self) -> None:
        self.now.process.kill()
        self.now.process.wait(30)
        self.start()

    def kill_as_it_judges(self, name: str, kills: int) -> None:
        """Kill the service several times while a rule has judged some runs, but not all."""
        for _ in range(kills):
            before = progress(self.now, name)["done"]
            if before == 2 * RUNS:  # the last runs were judged right after the start
                return
            wait_for(lambda: progress(self.now, name)["done"] > before, lambda: self.now.log)  # noqa: B023  # at once
            if progress(self.now, name)["done"] == 2 * RUNS:
                return
            self.kill()


def test_no_score_is_missing_or_twice_after_kills(
    start_spanloom: StartSpanloom, tmp_path: Path
) -> None:
    service = Killed(start_spanloom, tmp_path, {})
    send(service.now, range(1, RUNS + 1))
    wait_for(
        lambda: len(ask(service.now, "/v1/trajectories", status="settled")["items"]) == RUNS,
        lambda: service.now.log,
    )
    put(service.now, "calls", evaluators=[CALLS])
    for number in range(RUNS + 1, 2 * RUNS, 5):
        send(service.now, range(number, number + 5))
        service.kill()
    put(service.now, "calls", backfill={"from": None})
    service.kill()
    wait_for(
        lambda: progress(service.now, "calls")["done"] == 2 * RUNS,
        lambda: (progress(service.now, "calls"), service.now.log),
    )
    found = scores(service.now, "calls")
    assert sorted(s["trace_id"] for s in found) == [f"{n:032x}" for n in range(1, 2 * RUNS + 1)]
    assert {(s["passed"], s["rule_id"], s["status"]) for s in found} == {(True, "calls", "ok")}
    rule = ask(service.now, "/v1/online-rules/calls")
    assert (rule["backfill"]["done"], rule["progress"]["error"]) == (True, 0)
    _a_late_span(service.now)


def _a_late_span(service: RunningSpanloom) -> None:
    late = f"{1:032x}"
    before = {s["trace_id"]: s["judged_version"] for s in scores(service, "calls")}
    send(service, range(1, 2), root=False)

    def of_late() -> dict[str, Any]:
        (score,) = [s for s in scores(service, "calls") if s["trace_id"] == late]
        return score

    wait_for(lambda: of_late()["passed"] is False, of_late)
    after = {s["trace_id"]: s["judged_version"] for s in scores(service, "calls")}
    assert {trace for trace, version in after.items() if version != before[trace]} == {late}
    assert progress(service, "calls")["done"] == 2 * RUNS


def slowly(answer_of: Callable[..., Answer]) -> Callable[..., Answer]:
    def told(*request: Any) -> Answer:
        time.sleep(0.2)
        return answer_of(*request)

    return told


def test_a_judge_is_asked_once_for_each_run_but_for_calls_under_way(
    start_spanloom: StartSpanloom, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pydantic_ai", reason="the group `judges` is not installed")
    with provider_of(Answer(answer(True, [2]))) as provider:
        monkeypatch.setattr(provider, "next", slowly(provider.next))
        env = {"OPENAI_BASE_URL": provider.url, "OPENAI_API_KEY": "sk-loopback"}
        service = Killed(start_spanloom, tmp_path, env)
        put(service.now, "polite", evaluators=[JUDGE])
        send(service.now, range(1, 2 * RUNS + 1))
        service.kill_as_it_judges("polite", KILLS)
        wait_for(
            lambda: progress(service.now, "polite")["done"] == 2 * RUNS,
            lambda: (progress(service.now, "polite"), service.now.log),
        )
        found = scores(service.now, "polite")
    assert sorted(s["trace_id"] for s in found) == [f"{n:032x}" for n in range(1, 2 * RUNS + 1)]
    assert {(s["source"], s["value"], s["status"]) for s in found} == {("llm", True, "ok")}
    assert len(provider.requests) <= 2 * RUNS + KILLS * THREADS
