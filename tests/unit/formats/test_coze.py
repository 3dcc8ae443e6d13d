"""The format ``coze`` is what Coze Loop's published builder makes of the same steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson
import pytest
from jsonschema.validators import validator_for
from tests.support.each_capture import spread
from tests.support.exchanged import read
from tests.support.ground_truth import all_captures
from tests.support.memory_store import MemoryStore
from tests.support.otlp_requests import spooled
from tests.support.spans import chat, extract_spans, genai, make_span, raised, sid

from spanloom.core.extract import extract
from spanloom.core.formats.canonical import encode_document, encode_spans
from spanloom.core.formats.losses import Losses
from spanloom.core.formats.registry import find_format
from spanloom.core.formats.schema import coze_schema
from spanloom.core.formats.stored import Stored
from spanloom.core.model.trajectory import Status

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

    from spanloom.core.model.span import Span
    from spanloom.core.model.trajectory import Trajectory

DIALECTS = sorted({capture.dialect for capture in all_captures()})
AGENT, GRAPH = genai("invoke_agent", agent__name="a"), genai("invoke_workflow", workflow__name="w")
TOOL = genai("execute_tool", tool__name="t")


def encode(trajectory: Trajectory) -> dict[str, Any]:
    stored = Stored(encode_document(trajectory, 1, Status.SETTLED), encode_spans(trajectory))
    encoded = find_format("coze").load_writer()(stored, Losses())
    return orjson.loads(encoded)  # type: ignore[no-any-return]  # JSON


def built(*spans: Span) -> dict[str, Any]:
    return encode(extract_spans(*spans))


def shape(document: dict[str, Any]) -> list[tuple[int, list[tuple[str, int]]]]:
    """Return each agent's number with the types and numbers of its steps."""
    return [
        (int(a["id"], 16), [(s["type"], int(s["id"], 16)) for s in a["steps"]])
        for a in document["agent_steps"]
    ]


def test_graphs_are_agents_and_agents_come_newest_first_behind_the_root() -> None:
    document = built(
        make_span(1, attributes=AGENT, end=100),
        make_span(2, 1, GRAPH, start=1, end=50),
        make_span(3, 2, chat(5, 2), start=2),
        make_span(4, 1, AGENT, start=60, end=90),
        make_span(5, 4, TOOL, start=61, end=62),
    )
    assert shape(document) == [
        (1, [("agent", 2), ("agent", 4)]),
        (4, [("tool", 5)]),
        (2, [("model", 3)]),
    ]
    assert "metrics_info" in document["agent_steps"][0]
    assert document["root_step"]["metrics_info"]["input_tokens"] == 5
    assert set(document) == {"id", "root_step", "agent_steps"}


def test_the_root_costs_what_the_calls_cost_that_the_builder_puts_below_it() -> None:
    """Readers sum costs this way; otherwise a run would gain a cost by being written and read."""
    priced = {**chat(5, 2), "gen_ai.usage.cost": "0.25"}
    run = extract_spans(
        make_span(1, attributes={"x": "y"}),
        make_span(2, 1, AGENT, start=1),
        make_span(3, 2, priced, start=2),
    )
    document = encode_document(run, 1, Status.SETTLED)
    spans = orjson.loads(encode_spans(run))
    moved = [{**s, "parent_span_id": sid(1)} if s["span_id"] == sid(3) else s for s in spans]
    write = find_format("coze").load_writer()
    body = write(Stored(document, orjson.dumps(moved)), Losses())
    root = orjson.loads(body)
    assert shape(root) == [(1, [("agent", 2), ("model", 3)]), (2, [])]
    assert root["root_step"]["metadata"]["cost"] == "0.25"
    assert root["agent_steps"][0]["metadata"]["cost"] == "0.25"
    assert write(Stored(orjson.dumps(read("coze", root).document)), Losses()) == body


def test_a_root_that_is_no_step_comes_first_even_without_steps() -> None:
    document = built(make_span(1, name="app"), make_span(2, 1, AGENT))
    assert shape(document) == [(1, [("agent", 2)]), (2, [])]
    assert document["root_step"]["name"] == "app"
    assert shape(built(make_span(1))) == [(1, [])]


def test_noise_between_is_skipped_and_its_children_attached_above() -> None:
    document = built(
        make_span(1, attributes=AGENT),
        make_span(2, 1),
        make_span(3, 2),
        make_span(4, 3, chat(1, 1)),
    )
    [agent] = document["agent_steps"]
    assert agent["steps"][0]["parent_id"] == sid(1)


def test_of_several_roots_the_latest_counts() -> None:
    document = built(
        make_span(1, attributes=AGENT),
        make_span(2, 1, chat(1, 1)),
        make_span(3, attributes=AGENT, start=5),
        make_span(4, attributes=chat(1, 1), start=2),
    )
    assert document["root_step"]["id"] == sid(3)
    assert shape(document) == [(3, []), (1, [("model", 2)])]


def test_without_a_root_only_agents_and_what_they_own_are_left() -> None:
    document = built(
        make_span(1, 9, chat(1, 1)), make_span(2, 9, AGENT), make_span(3, 2, TOOL), make_span(4, 8)
    )
    assert document["root_step"] is None
    assert shape(document) == [(2, [("tool", 3)])]
    assert document["agent_steps"][0]["parent_id"] == ""


def test_nothing_is_shown_as_empty_or_zero_but_rates() -> None:
    document = built(
        make_span(1, attributes=AGENT), make_span(2, 1, chat(7, 0), end=0), make_span(3, 1, TOOL)
    )
    [agent] = document["agent_steps"]
    assert agent["metrics_info"] == {
        "tool_duration": "10",
        "tool_error_rate": 0.0,
        "model_error_rate": 0.0,
        "tool_step_proportion": 0.5,
        "input_tokens": 7,
    }
    assert agent["steps"][0]["model_info"] == {"input_tokens": 7}
    assert "duration" not in agent["steps"][0]["basic_info"]
    assert "input" not in agent["steps"][0]


def test_a_failure_told_by_the_status_alone_is_none() -> None:
    document = built(
        make_span(1, attributes=AGENT),
        make_span(2, 1, chat(1, 1), status="Error", message="429"),
        make_span(3, 1, TOOL, start=1, events=[raised("ValueError", "bad")]),
        make_span(4, 1, {**TOOL, "error.type": "timeout"}, start=2, status="Error"),
    )
    metrics = document["root_step"]["metrics_info"]
    assert "model_errors" not in metrics
    assert metrics["tool_errors"] == {"-1": [sid(3), sid(4)]}
    steps = document["agent_steps"][0]["steps"]
    assert ["error" in step["basic_info"] for step in steps] == [False, True, True]


def test_tokens_have_32_bits_as_there() -> None:
    document = built(make_span(1, attributes=AGENT), make_span(2, 1, chat(2**31, 1)))
    assert document["root_step"]["metrics_info"]["input_tokens"] == -(2**31)


def test_documents_of_two_versions_give_what_both_know() -> None:
    before = extract_spans(make_span(1, attributes=AGENT))
    after = extract_spans(make_span(1, attributes=AGENT), make_span(2, 1, TOOL))
    for document, spans in ((before, after), (after, before)):
        stored = Stored(encode_document(document, 1, Status.LIVE), encode_spans(spans))
        encoded = find_format("coze").load_writer()(stored, Losses())
        assert shape(orjson.loads(encoded)) == [(1, [])]


def checked(schema: dict[str, Any]) -> Validator:
    """Return the validator of a schema after checking it, which takes as long as ten documents."""
    kind = validator_for(schema)
    kind.check_schema(schema)
    return kind(schema)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_captured_runs_fit_the_published_schema_and_keep_their_tokens(
    dialect: str, coze_loop_schema: dict[str, Any]
) -> None:
    store = MemoryStore()
    captures = spread([c for c in all_captures() if c.dialect == dialect], 4)
    store.spans.append([spooled(body, "p") for c in captures for body in c.requests()])
    traces = store.spans.read_spans([change.key for change in store.progress.unextracted()])
    ours, published = checked(coze_schema()), checked(coze_loop_schema)
    for key, spans in traces.items():
        trajectory = extract(key, spans)
        document = encode(trajectory)
        ours.validate(document)
        if not trajectory.has_root:
            assert document["root_step"] is None
            continue
        published.validate(document)
        if not trajectory.warnings:
            spent = document["root_step"]["metrics_info"].get("input_tokens", 0)
            assert spent == trajectory.root_metrics.input_tokens
