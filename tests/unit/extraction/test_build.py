"""A trajectory has counts, warnings, extras and its spans' classification, or its failure."""

from __future__ import annotations

from tests.support.spans import (
    KEY,
    chat,
    extract_spans,
    genai,
    make_span,
    openinference,
    sid,
    verdict,
)

from spanloom.core.extraction.build import describe_failure
from spanloom.core.model.span import Link
from spanloom.core.model.trajectory import Kind
from spanloom.core.model.tree import SpanTree

LANGCHAIN = "openinference.instrumentation.langchain"


def test_the_trajectory_counts_steps_and_spans() -> None:
    trajectory = extract_spans(
        make_span(1, 0, genai("invoke_agent")),
        make_span(2, 1, genai("invoke_workflow"), start=1),
        make_span(3, 2, chat(1, 1), start=2),
        make_span(4, 2, openinference("TOOL", tool__name="f"), start=3, scope=LANGCHAIN),
        make_span(5, 4, start=4),
    )
    assert (trajectory.trace_id, trajectory.project) == (KEY.trace_id, KEY.project)
    assert trajectory.step_counts == {"agent": 1, "model": 1, "tool": 1, "graph": 1, "other": 1}
    assert trajectory.span_count == 5
    assert trajectory.dialects == ["fallback", "openinference", "otel_genai"]
    assert [v.span_id for v in trajectory.verdicts] == [sid(n) for n in range(1, 6)]
    assert (trajectory.warnings, trajectory.has_root) == ([], True)


def test_every_verdict_names_dialect_and_rule() -> None:
    trajectory = extract_spans(make_span(1, 0, genai("invoke_agent")), make_span(2, 1))
    assert verdict(trajectory, 1)[3:7] == (
        Kind.AGENT,
        sid(1),
        "otel_genai",
        "otel_genai.invoke_agent",
    )
    assert verdict(trajectory, 2)[3:7] == (Kind.OTHER, None, "fallback", "fallback.no_convention")


def test_a_child_before_its_parent_is_flagged_and_not_moved() -> None:
    early = make_span(2, 1, chat(7, 3), start=-5)
    trajectory = extract_spans(make_span(1, 0, genai("invoke_agent")), early)
    [warning] = trajectory.warnings
    assert warning.startswith("1 spans start before their parent")
    [step] = trajectory.agent_steps[0].steps
    assert step.start_ns == early.start_ns
    grain = make_span(2, 1, chat(7, 3), start=-1)
    assert not extract_spans(make_span(1, 0, genai("invoke_agent")), grain).warnings


def test_linked_traces_are_named_once() -> None:
    links = [Link(trace, "01" * 8, {}) for trace in ("cd" * 16, KEY.trace_id, "cd" * 16, "")]
    linking = make_span(1, 0, genai("invoke_agent"))._replace(links=links)
    assert extract_spans(linking).extras["linked_traces"] == ["cd" * 16]
    assert "linked_traces" not in extract_spans(linking._replace(links=())).extras


def test_repairs_and_bad_clocks_are_warned_of() -> None:
    trajectory = extract_spans(make_span(1, 99), make_span(2, 1, start=20, end=10))
    assert not trajectory.has_root
    assert len(trajectory.warnings) == 2
    assert trajectory.warnings[1].startswith("1 spans end before they start")


def test_spans_without_a_start_are_warned_of() -> None:
    unset = make_span(1, 0, genai("invoke_agent"))._replace(start_ns=0)
    [warning] = extract_spans(unset, make_span(2, 1, chat(7, 3))).warnings
    assert warning.startswith("1 spans have no start")


def test_extras_tell_wall_times_first_token_and_models() -> None:
    first_token = {"gen_ai.response.time_to_first_chunk": "0.005"}
    cached = {"gen_ai.usage.cache_read.input_tokens": "4", "gen_ai.usage.reasoning_tokens": "2"}
    session = {"gen_ai.conversation.id": "c1"}
    trajectory = extract_spans(
        make_span(1, 0, {**genai("invoke_agent", agent__name="planner"), **session}),
        make_span(2, 1, {**chat(9, 5, request__model="b"), **cached}, start=10, end=30),
        make_span(
            3, 1, {**chat(1, 1, response__model="a"), **first_token, **session}, start=20, end=50
        ),
        make_span(4, 1, genai("execute_tool"), start=60, end=65),
    )
    assert trajectory.extras == {
        "llm_wall_ms": 40,
        "tool_wall_ms": 5,
        "time_to_first_token_ms": 25.0,
        "models": ["a", "b"],
        "agents": ["planner"],
        "conversation_id": "c1",
        "cost": {
            "usd": None,
            "known_usd": None,
            "sources": [],
            "unpriced_calls": 2,
            "unpriced_models": ["a", "b"],
        },
        "reasoning_tokens": 2,
        "cache_read_tokens": 4,
        "cache_creation_tokens": 0,
    }


def test_what_is_unknown_or_not_one_is_left_out() -> None:
    root = make_span(3)
    runs = [make_span(n, 3, genai("invoke_agent", conversation__id=f"c{n}")) for n in (1, 2)]
    extras = extract_spans(root, *runs).extras
    assert "conversation_id" not in extras
    assert "time_to_first_token_ms" not in extras


def test_the_conversation_is_that_of_the_root_else_the_only_one() -> None:
    first, second = (genai("invoke_agent", conversation__id=c) for c in ("c1", "c2"))
    own = extract_spans(make_span(1, 0, first), make_span(2, 1, second))
    only = extract_spans(make_span(1), make_span(2, 1, second))
    assert (own.conversation_id, only.conversation_id) == ("c1", "c2")
    assert extract_spans(make_span(1)).conversation_id == ""


def test_a_first_token_without_end_is_unseen() -> None:
    said = {**chat(), "gen_ai.response.time_to_first_chunk": "1e308"}
    assert "time_to_first_token_ms" not in extract_spans(make_span(1, 0, said)).extras


def test_a_failure_tells_the_error_and_keeps_every_span() -> None:
    tree = SpanTree([make_span(1, 99, name="run"), make_span(2, 1, chat(5, 5))])
    failed = describe_failure(KEY, tree, ValueError("bad"), "7")
    assert failed.warnings[0] == "extraction failed: ValueError: bad"
    assert failed.warnings[1:] == tree.warnings
    assert [(v.kind, v.step_id, v.rule) for v in failed.verdicts] == [
        (Kind.OTHER, None, "extraction.failed")
    ] * 2
    assert failed.step_counts == {"agent": 0, "model": 0, "tool": 0, "graph": 0, "other": 2}
    assert (failed.root.name, failed.root_type, failed.has_root) == ("run", Kind.OTHER, False)
    assert (failed.extractor_version, failed.agent_steps) == ("7", [])
