"""Recorded runs of coding agents give the same documents if sent piece by piece in any order."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from tests.support.coding_agents import sent, truth_of
from tests.support.extracting import World, without_version

from spanloom.core.model.access import Reach

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

NAMES = (
    *("gemini-cli-tool", "gemini-cli-subagent", "qwen-code-subagent", "codex-cancel"),
    *("claude-code-tool", "claude-code-cancel", "claude-code-tool-logs-only"),
    *("claude-code-background-subagents", "claude-code-tool-cancelled", "copilot-cli-next-turn"),
    *("qwen-code-spans-subagents", "qwen-code-spans-resume", "claude-code-interactive"),
)


def pieces(name: str) -> Iterator[tuple[str, bytes]]:
    """Yield each span and each log record as a request of its own."""
    traces = ExportTraceServiceRequest.FromString(sent(name, "traces"))
    for group in traces.resource_spans:
        for scope in group.scope_spans:
            for span in scope.spans:
                one = ExportTraceServiceRequest()
                alone = one.resource_spans.add(resource=group.resource)
                alone.scope_spans.add(scope=scope.scope, spans=[span])
                yield "traces", one.SerializeToString()
    logs = ExportLogsServiceRequest.FromString(sent(name, "logs"))
    for of_resource in logs.resource_logs:
        for of_scope in of_resource.scope_logs:
            for record in of_scope.log_records:
                log = ExportLogsServiceRequest()
                of = log.resource_logs.add(resource=of_resource.resource)
                of.scope_logs.add(scope=of_scope.scope, log_records=[record])
                yield "logs", log.SerializeToString()


def play(order: Sequence[tuple[str, bytes]], wait_s: Callable[[], float]) -> dict[str, Any]:
    """Return the documents of all traces by id, after everything was delivered."""
    world = World()
    for signal, body in order:
        if signal == "traces":
            world.send_message(body)
        else:
            world.send_logs(body)
        if seconds := wait_s():
            world.run(seconds, every=0.7)
    world.run(150, every=1.5)
    keys = [change.key for change in world.store.progress.changes_since(0, {}).changes]
    found = {key.trace_id: world.store.documents.get(key.trace_id, Reach.ALL) for key in keys}
    return {trace_id: without_version(d) for trace_id, d in sorted(found.items()) if d}


@pytest.mark.parametrize("name", NAMES)
def test_documents_are_the_same(name: str) -> None:
    whole = list(pieces(name))
    at_once = play(whole, lambda: 0)
    shown = [d for d in at_once.values() if not d["extraction"].get("duplicate_of")]
    assert len([d for d in shown if d["agent_steps"]]) == truth_of(name).get("runs", 1)
    for seed in range(3):
        chance = random.Random(seed)
        mixed = chance.sample(whole, len(whole))
        assert play(mixed, lambda: chance.choice([0, 0, 0, 1.4])) == at_once  # noqa: B023  # called here
