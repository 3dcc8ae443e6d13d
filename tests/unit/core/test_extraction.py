"""Steps, owners, numbers: what becomes of normalized spans."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.traces import KEY, make_span, model, operation

from spanloom.core.extraction.duplicates import find_original, list_calls
from spanloom.core.extraction.metrics import union_ns
from spanloom.core.model.span import TraceKey
from spanloom.core.model.trajectory import Kind
from spanloom.extractor.extract import extract, extract_failure

if TYPE_CHECKING:
    from spanloom.core.model.span import Span
    from spanloom.core.model.trajectory import Trajectory

AGENT = operation("invoke_agent")
TOOL = operation("execute_tool", **{"gen_ai.tool.name": "t"})


def build(*spans: Span) -> Trajectory:
    return extract(KEY, spans)


def owners(trajectory: Trajectory) -> dict[str, list[int]]:
    """Give agent number to the numbers of its steps."""
    return {
        str(int(a.step.id, 16)): [int(s.id, 16) for s in a.steps] for a in trajectory.agent_steps
    }


def test_an_agent_owns_everything_down_to_the_next_agent() -> None:
    trajectory = build(
        make_span(1, None, AGENT),
        make_span(2, 1, model()),
        make_span(3, 1, {}),
        make_span(4, 3, TOOL),
        make_span(5, 4, AGENT),
        make_span(6, 5, model()),
        make_span(7, 5, TOOL),
    )
    assert owners(trajectory) == {"1": [2, 4, 5], "5": [6, 7]}
    assert trajectory.step_counts == {"agent": 2, "model": 2, "tool": 2, "graph": 0, "other": 1}
    assert trajectory.agent_steps[0].metrics.input_tokens == 10
    assert trajectory.root_metrics.input_tokens == 20


def test_noise_is_dropped_and_the_real_parent_is_kept_in_metadata() -> None:
    trajectory = build(make_span(1, None, AGENT), make_span(2, 1, {}), make_span(3, 2, TOOL))
    (step,) = trajectory.agent_steps[0].steps
    assert step.parent_id == make_span(1).span_id
    assert step.metadata["parent_span_id"] == make_span(2).span_id


def test_the_root_owns_what_no_agent_does() -> None:
    trajectory = build(make_span(1), make_span(2, 1, model()), make_span(3, 1, AGENT))
    assert owners(trajectory) == {"1": [2, 3], "3": []}
    assert trajectory.root_type is Kind.OTHER


def test_a_bare_call_owns_itself() -> None:
    trajectory = build(make_span(1, None, model()))
    assert owners(trajectory) == {"1": [1]}
    assert trajectory.root_type is Kind.MODEL


def test_several_bare_calls_are_several_calls() -> None:
    trajectory = build(*(make_span(i, None, model(i, i)) for i in (1, 2, 3)))
    assert owners(trajectory) == {"1": [1, 2, 3]}
    assert trajectory.root_metrics.input_tokens == 6


def test_a_call_in_a_call_is_one_call_with_the_richest_data() -> None:
    inner = model(10, 5, **{"gen_ai.usage.reasoning_tokens": "2", "gen_ai.response.id": "r"})
    trajectory = build(make_span(1, None, AGENT), make_span(2, 1, model()), make_span(3, 2, inner))
    (step,) = trajectory.agent_steps[0].steps
    assert step.usage is not None
    assert (step.usage.input_tokens, step.usage.reasoning_tokens) == (10, 2)
    assert step.metadata["merged_span_ids"] == make_span(3).span_id
    assert trajectory.verdicts[2].step_id == step.id


def test_a_call_below_a_tool_below_a_call_is_another_call() -> None:
    spans = [make_span(1, None, AGENT), make_span(2, 1, model()), make_span(3, 2, TOOL)]
    assert build(*spans, make_span(4, 3, model())).step_counts["model"] == 2


def test_a_wrapper_around_several_calls_is_none_itself() -> None:
    wrapper = operation("chat")
    trajectory = build(
        make_span(1, None, wrapper), make_span(2, 1, model(1, 1)), make_span(3, 1, model(2, 2))
    )
    assert trajectory.step_counts["model"] == 2
    assert trajectory.root_metrics.input_tokens == 3
    assert trajectory.verdicts[0].rule == "once.wraps_several_calls"


def test_a_call_beside_a_call_of_another_instrumentation_is_the_same_if_it_says_so() -> None:
    def beside(**second: str) -> int:
        spans = [
            make_span(1, None, AGENT),
            make_span(2, 1, model(), start=2, end=20, scope="framework"),
            make_span(3, 1, {**model(), **second}, start=3, end=19, scope="client"),
        ]
        return build(*spans).step_counts["model"]

    assert beside() == 1
    assert beside(**{"gen_ai.usage.input_tokens": "11"}) == 2


def test_parallel_calls_of_one_instrumentation_stay_apart() -> None:
    spans = [make_span(i, 1, model(), start=2, end=20) for i in (2, 3)]
    assert build(make_span(1, None, AGENT), *spans).step_counts["model"] == 2


def test_retrieval_in_a_tool_is_part_of_it() -> None:
    retrieval = operation("retrieval")
    spans = [make_span(1, None, AGENT), make_span(2, 1, TOOL), make_span(3, 2, retrieval)]
    trajectory = build(*spans)
    assert trajectory.step_counts["tool"] == 1
    assert trajectory.verdicts[2].step_id == spans[1].span_id


def test_embeddings_alone_are_no_step() -> None:
    trajectory = build(make_span(1, None, operation("embeddings")))
    assert trajectory.step_counts["other"] == 1
    assert trajectory.verdicts[0].rule == "once.embedding_alone"


def test_rates_and_errors() -> None:
    trajectory = build(
        make_span(1, None, AGENT),
        make_span(2, 1, model(), status="Error", message="Error code: 500 - no"),
        make_span(3, 1, model()),
        make_span(4, 1, TOOL),
    )
    metrics = trajectory.root_metrics
    assert metrics.model_errors == {"500": [make_span(2).span_id]}
    assert (metrics.model_error_rate, metrics.tool_error_rate) == (0.5, 0.0)
    assert metrics.tool_step_proportion == 1 / 3
    assert trajectory.has_error


def test_wall_clock_time_counts_overlaps_once() -> None:
    spans = [
        make_span(1, None, model(), start=0, end=10),
        make_span(2, None, model(), start=5, end=15),
        make_span(3, None, model(), start=30, end=31),
    ]
    steps = build(*spans).agent_steps[0].steps
    assert union_ns(steps) == 16_000_000


def test_a_clock_that_runs_backwards_is_told() -> None:
    trajectory = build(make_span(1, None, model(), start=5, end=1))
    assert trajectory.root_metrics.llm_duration_ns == 0
    assert "end before they start" in trajectory.warnings[0]


def in_trace(number: int, span: Span) -> Span:
    return span._replace(trace_id=f"{number:032x}")


def calls_of(number: int, *spans: Span) -> tuple[TraceKey, Trajectory]:
    key = TraceKey("project", f"{number:032x}")
    return key, extract(key, [in_trace(number, s) for s in spans])


def test_a_bare_call_repeats_the_call_that_encloses_it_and_says_the_same() -> None:
    said = model(10, 5, **{"gen_ai.output.messages": '[{"content":"yes"}]'})
    _, framework = calls_of(1, make_span(1, None, AGENT), make_span(2, 1, said, start=0, end=50))
    _, client = calls_of(2, make_span(3, None, said, start=5, end=45))
    _, late = calls_of(3, make_span(4, None, said, start=45, end=55))
    (original,) = list_calls(framework)
    assert find_original(list_calls(client)[0], [original]) == original
    assert find_original(list_calls(late)[0], [original]) is None
    assert find_original(original, list_calls(client)) is None


def test_a_bare_call_that_says_something_else_is_its_own() -> None:
    first = model(10, 5, **{"gen_ai.output.messages": '[{"content":"yes"}]'})
    other = model(10, 5, **{"gen_ai.output.messages": '[{"content":"no"}]'})
    _, framework = calls_of(1, make_span(1, None, AGENT), make_span(2, 1, first, start=0, end=50))
    _, client = calls_of(2, make_span(3, None, other, start=5, end=45))
    assert find_original(list_calls(client)[0], list_calls(framework)) is None


def test_a_trace_that_cannot_be_built_says_why() -> None:
    trajectory = extract_failure(KEY, [make_span(1), make_span(2, 1)], KeyError("odd"))
    assert "KeyError" in trajectory.warnings[0]
    assert trajectory.span_count == len(trajectory.verdicts) == 2
    assert trajectory.step_counts["other"] == 2
