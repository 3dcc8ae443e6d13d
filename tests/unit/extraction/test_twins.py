"""A run that several instrumentations of a framework report counts once."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from hypothesis import given
from hypothesis import strategies as st
from tests.support.spans import chat, extract_spans, genai, make_span, owners

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from random import Random

    from spanloom.core.model.span import Span

AGENT = make_span(1, 0, genai("invoke_agent"), end=10_000)


class Run(NamedTuple):
    """A model call or a tool that ran, with its start and end in milliseconds."""

    attributes: Mapping[str, str]
    start: float
    end: float


def told(runs: Sequence[Run], tellers: int, shift: float = 0.5) -> Iterator[Span]:
    """Yield a span of each run per instrumentation, each ``shift`` ms later than the previous."""
    for teller in range(tellers):
        for number, run in enumerate(runs):
            late = teller * shift
            span_id = 100 * (teller + 1) + number
            scope, start, end = f"teller {teller}", run.start + late, run.end + late
            yield make_span(span_id, 1, run.attributes, scope=scope, start=start, end=end)


def tool(name: str, arguments: str = "") -> dict[str, str]:
    return genai("execute_tool", tool__name=name, tool__call__arguments=arguments)


def counts(*spans: Span) -> tuple[int, int, int, int]:
    """Return the numbers of model calls and tools, and the run's input and output tokens."""
    built = extract_spans(AGENT, *spans)
    steps, used = built.step_counts, built.root_metrics
    return steps["model"], steps["tool"], used.input_tokens, used.output_tokens


def test_calls_and_tools_that_two_tell_count_once() -> None:
    runs = [Run(chat(7, 3), 10, 50), Run(tool("weather"), 55, 56), Run(chat(9, 4), 60, 90)]
    assert counts(*told(runs, 2)) == (2, 1, 16, 7)
    assert counts(*told(runs, 3)) == (2, 1, 16, 7)


def test_what_only_one_tells_stays() -> None:
    runs = [Run(chat(7, 3), 10, 50), Run(tool("weather"), 55, 56)]
    first, second = told(runs[:1], 1), list(told(runs, 2))[3:]
    assert counts(*first, *second) == (1, 1, 7, 3)


def test_calls_side_by_side_are_told_apart_by_what_they_counted() -> None:
    runs = [Run(chat(n, 3), 10, 50) for n in (7, 8, 9)]
    assert counts(*told(runs, 2)) == (3, 0, 24, 9)


def test_equal_tools_side_by_side_are_as_many_as_each_tells() -> None:
    runs = [Run(tool("search", '{"q":"a"}'), 10, 20), Run(tool("search", '{"q":"b"}'), 10.2, 20)]
    assert counts(*told(runs, 2)) == (0, 2, 0, 0)


def test_a_report_that_began_late_is_the_same_run_if_both_ended_together() -> None:
    """The instrumentation called first may load modules, while those called after it wait."""
    runs = [Run(chat(7, 3), 10, 200), Run(tool("weather"), 300, 430)]
    late = [Run(chat(7, 3), 60, 200), Run(tool("weather"), 405, 430)]
    assert counts(*told(runs, 1), *list(told(late, 2))[2:]) == (1, 1, 7, 3)


def test_a_step_stands_where_the_deepest_of_its_reports_stands() -> None:
    """One instrumentation knows no agent within the tool, so its call is below the tool."""
    shallow = [
        make_span(2, 1, tool("ask"), scope="a", start=10, end=100),
        make_span(3, 2, chat(7, 3), scope="a", start=20, end=60),
    ]
    deep = [
        make_span(4, 1, tool("ask"), scope="b", start=10.5, end=100.5),
        make_span(5, 4, genai("invoke_agent", agent__name="inner"), scope="b", start=11, end=99),
        make_span(6, 5, scope="b", start=12, end=98),
        make_span(7, 6, chat(7, 3), scope="b", start=20.5, end=60.5),
    ]
    assert owners(extract_spans(AGENT, *shallow, *deep)) == {1: [2, 5], 5: [3]}
    assert owners(extract_spans(AGENT, *deep)) == {1: [4, 5], 5: [7]}


def test_calls_that_counted_the_same_need_one_end_together() -> None:
    first = make_span(2, 1, chat(7, 3), start=10, end=60, scope="a")
    assert counts(first, make_span(3, 1, chat(7, 3), start=15, end=190, scope="b"))[0] == 1
    assert counts(first, make_span(3, 1, chat(8, 3), start=15, end=190, scope="b"))[0] == 2


def test_a_report_that_ends_late_is_the_same_run_if_it_lasted_nearly_as_long() -> None:
    def twice(last: float) -> tuple[int, int, int, int]:
        first = make_span(2, 1, tool("weather"), start=10, end=260, scope="a")
        return counts(first, make_span(3, 1, tool("weather"), start=14, end=last, scope="b"))

    assert twice(290) == (0, 1, 0, 0)
    assert twice(400) == (0, 2, 0, 0)


def test_tools_that_began_apart_and_have_no_name_are_two() -> None:
    runs = [Run(tool(""), 300, 430), Run(tool(""), 405, 430)]
    first, second = list(told(runs[:1], 1)), list(told(runs[1:], 2))[1:]
    assert counts(*first, *second) == (0, 2, 0, 0)


def test_calls_that_name_one_response_are_one_however_late_it_is_told() -> None:
    first = make_span(2, 1, chat(7, 3, response__id="r1"), start=10, end=60, scope="a")
    second = make_span(3, 1, chat(7, 3, response__id="r1"), start=35, end=95, scope="b")
    other = make_span(3, 1, chat(7, 3), start=35, end=95, scope="b")
    assert counts(first, second) == (1, 0, 7, 3)
    assert counts(first, other) == (2, 0, 14, 6)


def test_one_instrumentation_reports_no_run_twice() -> None:
    runs = [Run(tool("search"), 10, 11), Run(tool("search"), 10, 11)]
    assert counts(*told(runs, 1)) == (0, 2, 0, 0)


def test_a_second_call_long_after_the_first_is_another() -> None:
    first = make_span(2, 1, tool("search"), start=0, end=1, scope="a")
    second = make_span(3, 1, tool("search"), start=500, end=501, scope="b")
    assert counts(first, second) == (0, 2, 0, 0)


@st.composite
def _runs(draw: st.DrawFn) -> list[Run]:
    """Draw runs in sequence or in parallel; each model call has its own token counts."""
    runs, now = [], 10.0
    for number in range(draw(st.integers(1, 8))):
        lasts = draw(st.sampled_from([1, 5, 40, 900]))
        is_call = draw(st.booleans())
        said = chat(100 + number, 1 + number) if is_call else tool(f"tool {number % 3}")
        runs.append(Run(said, now, now + lasts))
        now += draw(st.sampled_from([0, 1, lasts + 2]))
    return runs


@given(_runs(), st.integers(1, 3), st.randoms())
def test_however_many_tell_and_in_whatever_order(
    runs: list[Run], tellers: int, chance: Random
) -> None:
    spans = list(told(runs, tellers))
    chance.shuffle(spans)
    assert counts(*spans) == counts(*told(runs, 1))


def test_a_report_below_another_of_the_same_run_never_becomes_its_own_parent() -> None:
    outer = make_span(9, 1, tool("weather"), scope="x", start=10, end=50)
    inner = make_span(2, 9, tool("weather"), scope="y", start=10, end=50)
    assert counts(outer, inner) == (0, 1, 0, 0)


def test_an_orphan_that_began_before_the_root_hangs_below_it() -> None:
    orphan = make_span(7, 99, genai("invoke_agent"), scope="y", start=-1, end=10_000)
    built = extract_spans(AGENT, orphan, make_span(3, 1, chat(7, 3), start=5))
    assert built.root.id == AGENT.span_id
    assert built.step_counts["agent"] == 1
    assert built.root_metrics.input_tokens == 7


@given(
    spans=st.lists(
        st.tuples(st.integers(0, 5), st.integers(0, 3), st.sampled_from("xyz")), max_size=6
    )
)
def test_any_nesting_of_reports_ends(spans: Sequence[tuple[int, int, str]]) -> None:
    made = [
        make_span(number, parent, tool("weather"), scope=scope, start=late, end=40 + late)
        for number, (parent, late, scope) in enumerate(spans, 2)
    ]
    built = extract_spans(AGENT, *made)
    assert built.span_count == len(made) + 1
