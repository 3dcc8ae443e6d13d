"""A failed tool call with a recorded output shows output and error, in every store and search."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.contract.test_stores_agree import extracted
from tests.support.otlp_requests import message_of, spooled, wire_span
from tests.support.texts import found
from tests.support.trajectory_lists import trace

from spanloom.core.model.access import Reach

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanloom.core.ports.store import Store

TRACE = trace(7)


def test_what_a_tool_had_when_it_failed_is_kept(
    store: Store, new_project: Callable[[], str]
) -> None:
    project = new_project()
    named = {"openinference.span.kind": "TOOL", "tool.name": "export", "input.value": "{}"}
    tool = wire_span(TRACE, 2, 1, "export", attributes={**named, "output.value": "twenty rows"})
    tool.status.code, tool.status.message = tool.status.STATUS_CODE_ERROR, "disk full"
    agent = wire_span(TRACE, 1, attributes={"openinference.span.kind": "AGENT"})
    body = message_of([agent, tool]).SerializeToString()
    keys = extracted(store, [spooled(body, project)])[project]
    document = json.loads(store.documents.get(TRACE, Reach.only(project)) or b"")
    [step] = document["agent_steps"][0]["steps"]
    assert (step["output"], step["basic_info"]["error"]["msg"]) == ("twenty rows", "disk full")
    store.text_index.index_texts(keys)
    assert found(store, project, '"twenty rows"') == [("02", "output")]
