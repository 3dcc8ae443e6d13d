"""Trajectory match: the table of cases, what is compared, and what a result contains."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.made_calls import document_of, made_agent, made_step, messages_of

import spanloom
from spanloom.evaluation import InvalidEvaluatorError
from spanloom.evaluation.contract.view import Part
from spanloom.evaluation.making import make_evaluator
from spanloom.evaluation.match.pairing import MAX_BEST
from spanloom.evaluation.subject.calls import OF

if TYPE_CHECKING:
    from collections.abc import Callable

X, XY = {"x": 1}, {"x": 1, "y": 2}
AGENTEVALS, OPENEVALS, OURS = "agentevals", "openevals", None
ERROR = "error"
SWAPPED = [("a", XY), ("a", X)]


def match(run: object, reference: object, mode: str, **config: object) -> dict[str, Any]:
    evaluator = {"kind": "match", "mode": mode, **config}
    [result] = spanloom.evaluate(run, evaluator, reference=reference)
    return result


def value(run: object, reference: object, mode: str, **config: object) -> object:
    result = match(run, reference, mode, **config)
    assert result["passed"] is result["value"]
    return ERROR if result["status"] == "error" else result["value"]


@pytest.mark.parametrize(
    ("run", "reference", "mode", "args", "answers"),
    [
        ([("a", XY)], [("a", X)], "subset", "superset", (False, True, True)),
        ([("a", XY)], [("a", X)], "subset", "subset", (True, False, False)),
        ([("a", XY)], [("a", X)], "unordered", "superset", (False, True, True)),
        (
            [("a", XY), ("a", X)],
            [("a", X), ("a", XY)],
            "superset",
            "superset",
            (False,) * 2 + (True,),
        ),
        ([("a", {"x": 1})], [("a", {"x": True})], "strict", "exact", (True, True, False)),
        ([("a", "{bad")], [("a", {})], "strict", "exact", (ERROR, ERROR, False)),
        ([("a", "{bad")], [("a", {})], "unordered", "exact", (ERROR, ERROR, False)),
        ([("a", "{bad")], [("a", {})], "subset", "exact", (ERROR, ERROR, False)),
        ([("a", "{bad")], [("a", {})], "superset", "exact", (ERROR, ERROR, False)),
        ([[("a", {}), ("b", {})]], [("a", {}), ("b", {})], "strict", "exact", (False,) * 3),
        ([("a", {})], [], "superset", "exact", (True, True, True)),
    ],
)
def test_table_of_cases(
    run: Any, reference: Any, mode: str, args: str, answers: tuple[object, ...]
) -> None:
    ours, theirs = messages_of(*run), messages_of(*reference)
    said = [
        value(ours, theirs, mode, args=args, compat=library)
        for library in (AGENTEVALS, OPENEVALS, OURS)
    ]
    assert tuple(said) == answers


@pytest.mark.parametrize("mode", ["strict", "exact", "in_order", "unordered", "subset", "superset"])
def test_arguments_that_are_no_object_are_noted(mode: str) -> None:
    result = match(messages_of(("a", "{bad")), messages_of(("a", {})), mode)
    assert (result["value"], result["warnings"]) == (False, ["args_not_object"])


def test_mode_exact_ignores_how_calls_are_grouped() -> None:
    parallel, one_by_one = messages_of([("a", {}), ("b", {})]), messages_of(("a", {}), ("b", {}))
    assert value(parallel, one_by_one, "exact") is True
    assert value(messages_of([("b", {}), ("a", {})]), one_by_one, "exact") is False


def test_an_empty_reference_is_noted() -> None:
    result = match(messages_of(("a", {})), [], "superset")
    assert (result["value"], result["warnings"]) == (True, ["empty_reference"])
    assert value(messages_of(("a", {})), [], "subset") is False


@pytest.mark.parametrize("library", [AGENTEVALS, OPENEVALS, OURS])
def test_without_a_reference_it_does_not_apply(library: str | None) -> None:
    result = match(messages_of(("a", {})), None, "superset", compat=library)
    assert (result["status"], result["value"], result["passed"]) == ("na", None, None)


def test_expected_tool_calls_are_a_reference() -> None:
    expected = {"tool_calls": [{"name": "a", "arguments": X}, {"name": "b"}]}
    run = [{"role": "user", "content": "hi"}, *messages_of([("a", X), ("b", {})])]
    for mode in ("strict", "exact", "in_order", "unordered", "subset", "superset"):
        [result] = spanloom.evaluate(run, {"kind": "match", "mode": mode}, expected=expected)
        assert result["value"] is True, mode
    [result] = spanloom.evaluate([], {"kind": "match", "mode": "exact"}, expected=expected)
    assert result["rationale"] == 'call 1, a({"x":1}), is missing'


def test_metrics() -> None:
    run = messages_of(("a", {}), ("c", {}), ("b", {}))
    reference = messages_of(("b", {}), ("a", {}), ("a", {}), ("d", {}))
    metrics = match(run, reference, "in_order")["metrics"]
    assert metrics == {"precision": 2 / 3, "recall": 0.5, "f1": 4 / 7, "order": 0.25}
    assert set(match([], [], "exact")["metrics"].values()) == {1.0}


def test_in_order_allows_calls_in_between() -> None:
    run = messages_of(("a", {}), ("x", {}), ("b", {}))
    assert value(run, messages_of(("a", {}), ("b", {})), "in_order") is True
    result = match(run, messages_of(("b", {}), ("a", {})), "in_order")
    assert (result["value"], result["rationale"]) == (False, "a() does not come after b()")
    assert [one["step_id"] for one in result["evidence"]] == ["0"]


@pytest.mark.parametrize(
    ("ours", "theirs", "override", "answer"),
    [
        ({"x": 1}, {"x": 2}, "ignore", True),
        ({"x": 1}, {"x": 2}, [], True),
        ({"x": 1, "t": {"id": 7}}, {"x": 2, "t": {"id": 7.0}}, ["t.id"], True),
        ({"t": {"id": 7}}, {"t": {"id": 8}}, ["t.id"], False),
        ({}, {"t": {"id": None}}, ["t.id"], True),
        (X, XY, "subset", True),
        (X, XY, "superset", False),
        ({"q": "Oslo"}, {"q": "oslo"}, lambda a, b: a["q"].lower() == b["q"].lower(), True),
        (XY, X, lambda a, b: len(a) > len(b), True),
    ],
)
def test_overrides(ours: object, theirs: object, override: object, answer: bool) -> None:
    run, reference = messages_of(("a", ours)), messages_of(("a", theirs))
    for mode in ("strict", "exact", "in_order", "unordered", "subset", "superset"):
        assert value(run, reference, mode, overrides={"a": override}) is answer
        assert value(run, reference, mode, overrides={"b": override}) is False


@pytest.mark.parametrize(
    ("ours", "theirs", "answer"),
    [
        ({"x": 1}, {"x": 1.0}, True),
        ({"x": 1}, {"x": True}, False),
        ({"x": 0}, {"x": False}, False),
        ({"x": [{"y": 1}]}, {"x": [{"y": True}]}, False),
        ({"x": 1, "y": [2]}, {"y": [2.0], "x": 1}, True),
        ({"x": 2**53 + 1}, {"x": float(2**53)}, False),
        ({"x": "1"}, {"x": 1}, False),
        ({"x": None}, {}, False),
        ("", {}, True),
        ("[1]", "[1.0]", True),
    ],
)
def test_arguments_are_equal_as_json(ours: object, theirs: object, answer: bool) -> None:
    assert value(messages_of(("a", ours)), messages_of(("a", theirs)), "exact") is answer


def test_strict_compares_messages() -> None:
    run = [{"role": "user", "content": "hi"}, *messages_of([("a", X), ("b", {})])]
    same = [{"role": "user", "content": "other"}, *messages_of([("b", {}), ("a", X)])]
    assert value(run, same, "strict") is True
    result = match(run, same[1:], "strict")
    assert result["rationale"] == "message 1 is user, not assistant"
    assert match(run, same[:-1], "strict")["rationale"] == "there are 4 messages, not 3"
    other = [same[0], *messages_of([("b", {}), ("a", XY)])]
    words = 'message 2: a call is a({"x":1}): y is absent, not 2'
    assert match(run, other, "strict")["rationale"] == words


def test_only_answered_calls_ran() -> None:
    run = messages_of(("a", {}), answered=False)
    assert value(run, messages_of(("a", {})), "exact") is False
    assert value(run, messages_of(("a", {})), "exact", of="requested") is True


def test_calls_without_ids_are_answered_in_their_order() -> None:
    calls = [{"function": {"name": name, "arguments": "{}"}} for name in "ab"]
    run = [{"role": "assistant", "tool_calls": calls}, {"role": "tool", "name": "b"}]
    assert value(run, messages_of(("b", {})), "exact") is True
    run[1] = {"role": "tool"}
    assert value(run, messages_of(("a", {})), "exact") is True


def test_a_retry_counts_once() -> None:
    failed, again = made_step("a", X, failed=True), made_step("a", X, at=1)
    run = document_of(made_agent("planner", failed, failed, again, made_step("b", at=2)))
    reference = messages_of(("a", X), ("b", {}))
    assert value(run, reference, "exact") is True
    assert value(run, reference, "exact", retries="count") is False
    twice = document_of(made_agent("planner", again, again, made_step("b", at=2)))
    assert value(twice, reference, "exact") is False
    otherwise = document_of(made_agent("planner", made_step("a", XY, failed=True), again))
    assert value(otherwise, messages_of(("a", X)), "exact") is False


def test_a_retry_in_messages_counts_once() -> None:
    run = messages_of(("a", X), ("a", X))
    assert value(run, messages_of(("a", X)), "exact") is False
    run[1]["status"] = "error"
    assert value(run, messages_of(("a", X)), "exact") is True


TEAM = document_of(
    made_agent(
        "planner",
        made_step("plan", type="model", metadata={"node": "think"}),
        made_step("search", X, at=10, metadata={"node": "act"}),
        made_step("pay", at=50, metadata={"node": "act"}),
    ),
    made_agent("booker", made_step("book", XY, at=30, metadata={"node": "book"}), at=20),
)


def test_tools_of_several_agents_are_in_the_order_of_their_starts() -> None:
    reference = messages_of(("search", X), ("book", XY), ("pay", {}))
    assert value(TEAM, reference, "exact") is True


@pytest.mark.parametrize(
    ("of", "names"),
    [
        ("agents", ["booker"]),
        ("steps", ["plan", "search", "book", "pay"]),
        ("graph", ["think", "act", "book"]),
    ],
)
def test_what_is_compared(of: str, names: list[str]) -> None:
    assert value(TEAM, TEAM, "exact", of=of) is True
    result = match(TEAM, document_of(made_agent("planner")), "exact", of=of)
    assert len(result["evidence"]) == len(names)
    assert result["rationale"].startswith(f"call 1, {names[0]}")


@pytest.mark.parametrize("mode", ["strict", "exact", "in_order", "unordered"])
def test_the_order_in_the_document_does_not_matter(mode: str) -> None:
    asked = json.dumps(messages_of(("a", X), ("b", {}))[0:1])
    planner = made_agent(
        "planner",
        made_step("chat", type="model", output=asked, at=1),
        made_step("a", X, at=2, failed=True),
        made_step("a", X, at=3),
        made_step("b", at=7),
    )
    run = document_of(planner, made_agent("booker", made_step("c", at=5), at=4))
    reference = messages_of(("a", X), ("c", {}), ("x", {}))
    shuffled = deepcopy(run)
    shuffled["agent_steps"].reverse()
    for agent in shuffled["agent_steps"]:
        agent["steps"].reverse()
    for of in OF:
        due = match(run, reference, mode, of=of)
        assert match(shuffled, reference, mode, of=of) == due
        assert match(reference, shuffled, mode, of=of) == match(reference, run, mode, of=of)
    assert value(shuffled, messages_of(("a", X), ("c", {}), ("b", {})), "exact") is True


OTHERWISE: dict[Part, Callable[[dict[str, Any]], object]] = {
    Part.INPUTS: lambda step: step.get("type") != "tool" and step.update(input="other"),
    Part.ARGUMENTS: lambda step: step.get("type") == "tool" and step.update(input='{"x": 9}'),
    Part.OUTPUTS: lambda step: step.update(output=json.dumps(messages_of(("search", XY))[:1])),
    Part.ERRORS: lambda step: step["basic_info"].update(error={"code": "1", "msg": "no"}),
    Part.TIMES: lambda step: step["basic_info"].update(started_at="7", duration="7"),
    Part.TOKENS: lambda step: step.update(model_info={"input_tokens": 7}),
    Part.METADATA: lambda step: step.update(metadata={"node": "other", "model": "m"}),
}


@pytest.mark.parametrize("of", OF)
@pytest.mark.parametrize("mode", ["strict", "exact", "in_order", "unordered"])
def test_what_is_not_in_the_view_changes_nothing(of: str, mode: str) -> None:
    evaluator = make_evaluator({"kind": "match", "of": of, "mode": mode})
    for part in OTHERWISE.keys() - evaluator.judging.view:
        changed = deepcopy(TEAM)
        for agent in changed["agent_steps"]:
            for step in (agent, *agent["steps"]):
                OTHERWISE[part](step)
        assert match(changed, TEAM, mode, of=of) == match(TEAM, TEAM, mode, of=of), part


def test_a_run_without_nodes_has_no_graph() -> None:
    run = document_of(made_agent("planner", made_step("a")))
    assert match(run, run, "exact", of="graph")["status"] == "na"


def test_a_document_is_compared_as_its_conversation() -> None:
    asked = json.dumps([{"role": "user", "content": "hi"}])
    messages = messages_of(("search", X))
    answer = json.dumps(messages[:1])
    run = document_of(
        made_agent(
            "planner",
            made_step("chat", asked, type="model", output=answer),
            made_step("search", X, at=1, output="ok"),
        )
    )
    assert value(run, [{"role": "user", "content": "hi"}, *messages], "strict") is True
    assert value(run, messages, "strict") is False
    assert value(run, messages, "strict", compat="openevals") is False
    assert value(run, messages, "exact", of="requested") is True


@pytest.mark.parametrize("given", ["Oslo", "", "{'city': 'Oslo'}", '{"city": "Oslo"}'])
def test_an_input_is_the_arguments_of_the_call(given: str) -> None:
    messages = messages_of(("weather", {"city": "Oslo"}))
    model = made_step("chat", type="model", output=json.dumps(messages[:1]))
    run = document_of(made_agent("planner", model, made_step("weather", given, at=1)))
    result = match(run, messages, "exact")
    assert (result["value"], result["warnings"]) == (True, [])


def test_another_input_is_its_own_arguments() -> None:
    messages = messages_of(("weather", {"city": "Oslo"}))
    model = made_step("chat", type="model", output=json.dumps(messages[:1]))
    run = document_of(made_agent("planner", model, made_step("weather", "Bergen", at=1)))
    result = match(run, messages, "exact")
    assert (result["value"], result["warnings"]) == (False, ["args_not_object"])


def test_evidence_are_the_calls_that_differ() -> None:
    run = messages_of(("a", X), ("b", {}), ("a", XY))
    result = match(run, messages_of(("a", X), ("a", X)), "unordered")
    assert [one["step_id"] for one in result["evidence"]] == ["2", "4"]
    assert result["rationale"] == 'call 3 is a({"x":1,"y":2}): y is not in the reference'
    assert match(run, messages_of(("c", {})), "superset")["evidence"] == []


@pytest.mark.parametrize(
    ("config", "key"),
    [
        ({"mode": "loose"}, "mode"),
        ({"of": "tools"}, "of"),
        ({"args": "some"}, "args"),
        ({"arg": "exact"}, "arg"),
        ({"retries": 2}, "retries"),
        ({"overrides": {"a": "some"}}, "overrides.a"),
        ({"overrides": {"a": [1]}}, "overrides.a"),
        ({"compat": "deepeval"}, "compat"),
        ({"compat": "openevals", "mode": "in_order"}, "mode"),
        ({"compat": "openevals", "of": "steps"}, "of"),
        ({"compat": "openevals", "retries": "count"}, "retries"),
    ],
)
def test_a_wrong_configuration_names_its_key(config: dict[str, object], key: str) -> None:
    with pytest.raises(InvalidEvaluatorError) as caught:
        spanloom.evaluate([], {"kind": "match", **config}, reference=[])
    assert caught.value.key == key


def test_an_unreadable_reference_is_not_the_fault_of_the_run() -> None:
    result = match(messages_of(("a", {})), {"no": "document"}, "exact")
    assert (result["status"], result["error_code"]) == ("error", "unreadable_expected")
    for reference in (messages_of(), None):
        result = match({"no": "document"}, reference, "exact")
        assert (result["status"], result["error_code"]) == ("error", "unreadable_run")


def test_a_function_that_raises_is_an_error() -> None:
    run = messages_of(("a", {}))
    result = match(run, run, "exact", overrides={"a": lambda a, b: a["x"] == b["x"]})
    assert (result["status"], result["value"]) == ("error", None)


def test_a_function_has_a_hash_by_its_source() -> None:
    def same_city(ours: dict[str, Any], theirs: dict[str, Any]) -> bool:
        return bool(ours["city"] == theirs["city"])

    one, other = (
        make_evaluator({"kind": "match", "overrides": {"a": function}})
        for function in (same_city, lambda ours, theirs: ours == theirs)
    )
    assert one.config_hash != other.config_hash
    assert one.config["overrides"]["a"].startswith(f"{__name__}:test_a_function_has")


def test_many_calls_are_paired_first_fit() -> None:
    run = messages_of(*[("a", {"n": n % 7}) for n in range(MAX_BEST + 1)])
    assert match(run, run, "unordered")["warnings"] == ["first_fit"]
    assert match(run[:-2], run[:-2], "unordered")["warnings"] == []


def nested(depth: int) -> object:
    value: object = 1
    for _ in range(depth):
        value = {"x": value}
    return value


@pytest.mark.parametrize("mode", ["strict", "exact", "unordered"])
def test_deep_arguments(mode: str) -> None:
    run, other = ([_asked(nested(depth)), _answered()] for depth in (3_000, 3_001))
    assert value(run, run, mode) is True
    assert value(run, other, mode) is False
    text = [_asked('{"x":' * 3_000), _answered()]
    assert match(text, run, mode)["warnings"] == ["args_not_object"]


def _asked(arguments: object) -> dict[str, object]:
    call = {"id": "1", "function": {"name": "a", "arguments": arguments}}
    return {"role": "assistant", "tool_calls": [call]}


def _answered() -> dict[str, object]:
    return {"role": "tool", "tool_call_id": "1"}


def test_arguments_that_hold_themselves_are_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "spanloom.evaluation.subject.canonical.Budget.__init__.__defaults__", (999,)
    )
    endless: list[object] = []
    endless.append(endless)
    run = [_asked({"x": endless}), _answered()]
    result = match(run, run, "exact")
    assert (result["status"], result["error_code"]) == ("error", "too_large")


@pytest.mark.parametrize(
    "run",
    [
        [None],
        ["text", 5, [], {}],
        [{"role": 5, "tool_calls": "text"}],
        [
            {
                "role": "assistant",
                "tool_calls": [None, 5, {"function": None}, {"function": {"name": 5}}],
            }
        ],
        [{"role": "tool", "tool_call_id": {}}],
    ],
)
@pytest.mark.parametrize("mode", ["strict", "exact", "superset"])
def test_messages_that_are_none_are_compared(run: list[object], mode: str) -> None:
    assert value(run, run, mode) is True
    assert match(run, messages_of(("a", {})), mode)["value"] is False
