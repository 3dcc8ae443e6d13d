"""Spring AI: clients that are agents, tools, vector stores, and the running sums of version 1."""

from __future__ import annotations

import pytest
from tests.support.spans import chat, extract_spans, genai, make_span, normalized, owners, rules

SCOPE = "org.springframework.boot"


def spring(kind: str, **more: str) -> dict[str, str]:
    named = {"spring.ai." + key.replace("__", "."): value for key, value in more.items()}
    return {"spring.ai.kind": kind, "gen_ai.operation.name": "framework", **named}


def run(*inside: dict[str, str], **client: str) -> list[str]:
    spans = [
        make_span(1, 0, spring("chat_client", **client), scope=SCOPE, end=90),
        make_span(2, 1, spring("advisor"), scope=SCOPE, name="tool _calling ", start=1, end=80),
        *(make_span(n, 2, said, scope=SCOPE, start=n) for n, said in enumerate(inside, 3)),
    ]
    return [kind for kind, _ in rules(*spans).values()]


def test_a_client_is_an_agent_if_it_ran_or_was_offered_tools() -> None:
    assert run(chat(7, 3)) == ["other", "other", "model"]
    assert run(chat(7, 3), spring("tool_call")) == ["agent", "other", "model", "tool"]
    assert run(chat(7, 3), chat__client__tool__names='["f"]') == ["agent", "other", "model"]


def test_tools_have_names_of_their_own() -> None:
    said = spring(
        "tool_call",
        tool__definition__name="f",
        tool__call__id="c1",
        tool__call__arguments="{}",
        tool__call__result="3",
    )
    facts = normalized(make_span(1, 0, said, scope=SCOPE))[1].facts
    assert (facts.tool_name, facts.input, facts.output) == ("f", "{}", "3")
    assert facts.metadata["tool_call_id"] == "c1"


@pytest.mark.parametrize(("operation", "kind"), [("query", "tool"), ("add", "other")])
def test_only_a_query_of_a_vector_store_is_a_step(operation: str, kind: str) -> None:
    said = {**spring("vector_store"), "db.operation.name": operation}
    inside = make_span(2, 1, said, scope=SCOPE, start=1)
    assert rules(make_span(1, 0, genai("invoke_agent"), end=90), inside)[2][0] == kind


def test_http_spans_of_the_application_are_none_of_it() -> None:
    spans = [
        make_span(1, 0, spring("chat_client"), scope=SCOPE, end=90),
        make_span(2, 1, chat(7, 3), scope=SCOPE, start=1, end=80),
        make_span(3, 2, {"http.request.method": "POST"}, scope=SCOPE, start=2),
        make_span(4, 1, spring("tool_call"), scope=SCOPE, start=81),
    ]
    assert rules(*spans)[3] == ("other", "fallback.no_convention")
    assert owners(extract_spans(*spans)) == {1: [2, 4]}


def test_advisors_in_advisors_hide_no_tool() -> None:
    spans = [make_span(1, 0, spring("chat_client"), scope=SCOPE, end=90)]
    spans += [
        make_span(n, n - 1, spring("advisor"), scope=SCOPE, start=n, end=90 - n)
        for n in range(2, 9)
    ]
    offered = {**chat(7, 3), "spring.ai.model.request.tool.names": '["f"]'}
    call = make_span(9, 8, offered, scope=SCOPE, start=9, end=20)
    assert rules(*spans, call)[1] == ("agent", "spring_ai.chat_client")
    plain = make_span(9, 8, chat(7, 3), scope=SCOPE, start=9, end=20)
    assert rules(*spans, plain)[1] == ("other", "spring_ai.bare_call")


def test_a_model_that_is_not_known_is_the_one_that_was_asked_for() -> None:
    said = {**genai("chat"), "gen_ai.request.model": "m", "gen_ai.response.model": "none"}
    assert normalized(make_span(1, 0, said, scope=SCOPE))[1].facts.model == "m"
    said["gen_ai.request.model"] = "none"
    assert not normalized(make_span(1, 0, said, scope=SCOPE))[1].facts.model


def test_an_embedding_is_data_access() -> None:
    spans = [
        make_span(1, 0, spring("vector_store"), scope=SCOPE, end=90),
        make_span(2, 1, genai("embedding"), scope=SCOPE, start=1),
    ]
    assert [kind for kind, _ in rules(*spans).values()] == ["tool", "tool"]
    assert normalized(*spans)[2].facts.data_kind == "embedding"


@pytest.mark.parametrize(
    ("key", "kind"),
    [
        ("spring.ai.tool.definition.name", "tool"),
        ("spring.ai.advisor.name", "other"),
        ("db.vector.query.content", "tool"),
    ],
)
def test_without_its_kind_the_keys_of_a_span_tell_it(key: str, kind: str) -> None:
    spans = [
        make_span(1, 0, {"spring.ai.chat.client.stream": "false"}, scope=SCOPE, end=90),
        make_span(2, 1, {key: "x"}, scope=SCOPE, start=1),
        *(make_span(n, 1, chat(7, 3), scope=SCOPE, start=n) for n in (3, 4)),
    ]
    found = rules(*spans)
    assert (found[1][0], found[2][0]) == ("agent", kind)


def loop(operation: str, *counts: tuple[int, int], parent: int = 1) -> list[int]:
    """Return the input tokens of model calls with these counts, each followed by a tool run."""
    tool = {**spring("tool_call"), "gen_ai.operation.name": operation}
    spans = [make_span(1, 0, spring("advisor"), scope=SCOPE, end=90)]
    for n, (asked, answered) in enumerate(counts, 1):
        spans += [
            make_span(2 * n, parent, chat(asked, answered), scope=SCOPE, start=2 * n),
            make_span(2 * n + 1, parent, tool, scope=SCOPE, start=2 * n + 1),
        ]
    steps = [s for a in extract_spans(*spans).agent_steps for s in a.steps]
    return [s.usage.input_tokens for s in steps if s.usage]


def test_version_1_reports_the_sum_so_far_of_a_loop() -> None:
    assert loop("framework", (10, 5), (25, 9), (60, 10)) == [10, 15, 35]
    assert loop("execute_tool", (10, 5), (25, 9), (60, 10)) == [10, 25, 60]


def test_a_sum_is_one_also_where_the_span_around_the_loop_was_lost() -> None:
    assert loop("framework", (10, 5), (25, 9), (60, 10), parent=99) == [10, 15, 35]


def test_numbers_that_cannot_be_sums_are_a_call_s_own() -> None:
    assert loop("framework", (10, 5), (15, 9)) == [10, 15]
    assert loop("framework", (10, 5), (25, 4)) == [10, 25]
    assert loop("framework", (10, 5), (0, 0)) == [10, 0]


def test_a_call_after_a_call_without_tools_begins_a_sum_anew() -> None:
    calls = [make_span(n, 1, chat(10 * n, n), scope=SCOPE, start=n) for n in (2, 4)]
    trajectory = extract_spans(make_span(1, 0, spring("advisor"), scope=SCOPE, end=90), *calls)
    assert trajectory.root_metrics.input_tokens == 60


def test_streamed_calls_of_version_1_stand_in_one_another_and_are_calls_each() -> None:
    spans = [
        make_span(1, 0, spring("chat_client", chat__client__tool__names='["f"]'), scope=SCOPE),
        make_span(2, 1, spring("advisor"), scope=SCOPE, name="stream", start=1),
        *(make_span(n, n - 1, chat(60, 9), scope=SCOPE, start=n) for n in (3, 4, 5)),
    ]
    trajectory = extract_spans(*spans)
    assert owners(trajectory) == {1: [3, 4, 5]}
    assert trajectory.root_metrics.input_tokens == 60
