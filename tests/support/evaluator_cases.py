"""Cases of every kind of evaluator: its input, and the result that it must have."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tests.support.judged_runs import (
    ROOT,
    WORDS,
    agent,
    called,
    model,
    result,
    run,
    tool,
    user,
)
from tests.support.scripted_judge import Script, answer, judge_by

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(frozen=True)
class Case:
    """One evaluator and one run."""

    name: str
    evaluator: Any
    """A mapping, or a callable."""
    run: Any
    score: str
    status: str
    passed: bool | None = None
    evidence: Sequence[str] = ()
    """Step ids in order."""
    expected: Mapping[str, Any] | None = None
    value: Any = "as passed"
    says: str = ""
    """Text that the rationale contains."""
    code: str = ""
    """The ``error_code``."""


NOTHING = run([])
TWO = run([model("m1", 1), tool("t1", "search", 10), model("m2", 20), tool("t2", "book", 30)])
TEAM = run(
    [model("m1", 1), called("a2", "writer", 10), tool("t1", "search", 300)],
    [agent("a2", "writer", [tool("t2", "search", 20), tool("t3", "search", 30)], start=10)],
)
MESSAGES = [user("hi"), {"role": "assistant", "content": "hello"}]


def _rule(
    name: str,
    rule: str,
    value: Any,
    judged: Any,
    status: str,
    passed: bool | None = None,
    **more: Any,
) -> Case:
    evaluator = {"kind": "rules", "name": "r", "rules": {rule: value}}
    return Case(f"{rule}-{name}", evaluator, judged, f"r/{rule}", status, passed, **more)


def _failing(name: str, rule: str, value: Any, judged: Any, *evidence: str, **more: Any) -> Case:
    return _rule(name, rule, value, judged, "ok", False, evidence=evidence, **more)


def _passing(name: str, rule: str, value: Any, judged: Any, *evidence: str, **more: Any) -> Case:
    return _rule(name, rule, value, judged, "ok", True, evidence=evidence, **more)


def _na(name: str, rule: str, value: Any, judged: Any, **more: Any) -> Case:
    return _rule(name, rule, value, judged, "na", **more)


COUNTS = (
    _passing("enough", "max_steps", 5, TWO),
    _failing("too-many", "max_steps", 3, TWO, "m2", "t2", says="5 steps, at most 3"),
    _passing("each-agent", "max_tool_calls", {"value": 2, "per": "agent"}, TEAM),
    _failing("of-all", "max_tool_calls", 2, TEAM, "t1"),
    _failing(
        "one-agent", "max_tool_calls", {"value": 1, "per": "agent"}, TEAM, "t3", says="writer"
    ),
    _failing("warns", "max_model_calls", {"value": 1, "severity": "warn"}, TWO, "m2"),
    _passing("none", "max_model_calls", 0, NOTHING),
    _na("no-agent", "max_steps", {"value": 1, "per": "agent"}, []),
)
TOOLS = (
    _passing("ran", "required_tools", ["sea*", "book"], TWO, "t1", "t2"),
    _failing("missing", "required_tools", ["search", "pay"], TWO, says="pay"),
    _passing("all", "allowed_tools", "*", TWO),
    _failing("other", "allowed_tools", ["search"], TWO, "t2", says="book"),
    _passing("no-tools", "forbidden_tools", ["*"], NOTHING),
    _failing("glob", "forbidden_tools", ["b??k"], TWO, "t2"),
    _passing("case", "forbidden_tools", ["BOOK"], TWO),
    _passing("in-order", "order", ["search", "book"], TWO),
    _failing("other-way", "order", ["book", "search"], TWO, "t1", says="before book"),
    _failing(
        "first-failed", "order", ["search", "book"],
        run([tool("t1", "search", 1, error="down"), tool("t2", "book", 10)]), "t2",
    ),
    _failing(
        "first-not-ended", "order", ["search", "book"],
        run([tool("t1", "search", 1, duration=50), tool("t2", "book", 10)]), "t2",
    ),
    _failing("second-pair", "order", [["search", "book"], ["book", "search"]], TWO, "t1"),
    _passing("no-second", "order", ["search", "pay"], TWO),
    _passing("before", "never_after", ["book", "search"], TWO),
    _failing("after", "never_after", ["search", "book"], TWO, "t1", "t2"),
    _failing(
        "after-failed", "never_after", ["search", "book"],
        run([tool("t1", "search", 1, error="down"), tool("t2", "book", 10)]), "t1", "t2",
    ),
    _passing(
        "meanwhile", "never_after", ["search", "book"],
        run([tool("t1", "search", 1, duration=50), tool("t2", "book", 10)]),
    ),
)  # fmt: skip


def _calls(*told: tuple[str, str, str]) -> Any:
    """Return a run of tools by name, arguments and output, with model calls in between."""
    steps = []
    for at, (name, given, output) in enumerate(told):
        heard = [user(f"question {at}")]
        steps.append(model(f"m{at}", 20 * at, heard, said=f"answer {at}"))
        steps.append(tool(f"t{at}", name, 20 * at + 10, given, output))
    return run(steps)


SAME = ("search", '{"q": 1, "n": [1.0]}', "none"), ("search", '{"n":[1],"q":1}', "none")
REPETITION = (
    _failing("twice", "repeats", 2, _calls(*SAME), "t0", "t1", says="2 times"),
    _passing("less", "repeats", 3, _calls(*SAME)),
    _failing("others-between", "repeats", 2, _calls(SAME[0], ("x", "", "y"), SAME[1]), "t0", "t2"),
    _passing("new-result", "repeats", 2, _calls(SAME[0], ("search", SAME[0][1], "one"), SAME[0])),
    _passing("other-arguments", "repeats", 2, _calls(SAME[0], ("search", "{}", "none"))),
    _passing("no-tools", "repeats", 2, NOTHING),
    _failing("of-tool", "loop", {"period": 2, "times": 2}, _calls(*SAME), "m0", "t0", "m1", "t1"),
    _failing(
        "of-two", "loop", {"times": 2},
        _calls(("a", "{}", "1"), ("b", "{}", "2"), ("a", "{}", "3"), ("b", "{}", "4")),
        *("m0", "t0", "m1", "t1", "m2", "t2", "m3", "t3"), says="planner repeated",
    ),
    _passing("period", "loop", {"period": 1, "times": 2}, _calls(*SAME)),
    _passing("arguments", "loop", {"times": 2}, _calls(("a", "1", ""), ("a", "2", ""))),
    _passing(
        "models", "loop", {"times": 2},
        run([model("m1", 1, [user("a")]), model("m2", 9, [user("b")]), model("m3", 19)]),
    ),
    _failing(
        "same-models", "loop", {"times": 2},
        run([model("m1", 1, [user("a")]), model("m2", 9, [user("a")])]), "m1", "m2",
    ),
    _passing("two-agents", "loop", {"times": 3}, TEAM),
)  # fmt: skip
COSTLY = run(
    [model("m1", 10, tokens=(100, 20), metadata={"cost": "0.25"}), model("m2", 40)],
    tokens=(100, 20),
    extraction={"cost": {"usd": 0.25}, "llm_wall_ms": 10, "time_to_first_token_ms": 30.5},
)
UNKNOWN = run([model("m1", 10)], extraction={"cost": {"usd": None}})
LIMITS = (
    _passing("at", "tokens", 120, COSTLY),
    _failing("above", "tokens", 119, COSTLY, ROOT, says="tokens 120"),
    _na("unknown", "tokens", 9, UNKNOWN),
    _passing("at", "cost_usd", 0.25, COSTLY),
    _failing("above", "cost_usd", 0.2, COSTLY, ROOT),
    _na("unknown", "cost_usd", 9, UNKNOWN),
    _na("of-one-unknown", "cost_usd", {"value": 9, "per": "agent"}, COSTLY),
    _passing("at", "duration_ms", 1_000, COSTLY),
    _failing("above", "duration_ms", 999.5, COSTLY, ROOT),
    _na("messages", "duration_ms", 9, MESSAGES),
    _passing("at", "llm_wall_ms", 10, COSTLY),
    _failing("above", "llm_wall_ms", 9, COSTLY, ROOT),
    _failing("of-agent", "llm_wall_ms", {"value": 9, "per": "agent"}, COSTLY, ROOT),
    _na("messages", "llm_wall_ms", 9, MESSAGES),
    _passing("at", "first_token_ms", 30.5, COSTLY),
    _failing("above", "first_token_ms", 30, COSTLY, ROOT),
    _na("unknown", "first_token_ms", 9, UNKNOWN),
)
FAILURES = (
    _passing("none", "errors", "handled", TWO),
    _passing(
        "recovered", "errors", "handled",
        run([tool("t1", "a", 1, error="x"), tool("t2", "a", 9)]), "t1", says="1 recovered",
    ),
    _passing("survived", "errors", "handled", run([tool("t1", "a", 1, error="x")]), "t1"),
    _failing(
        "unhandled", "errors", "handled", run([tool("t1", "a", 1, error="x")], error="y"),
        "t1", ROOT, says="a (x)",
    ),
    _failing("root-alone", "errors", "handled", run([tool("t1", "a", 1)], error="y"), ROOT),
    _failing(
        "agent-failed", "errors", "handled",
        run(
            [called("a2", "writer", 1, error="y")],
            [agent("a2", "writer", [tool("t1", "a", 2, error="x")], error="y")],
        ),
        "t1",
    ),
)  # fmt: skip


def _result_of(*heard: Any, output: str = WORDS, **metadata: str) -> Any:
    steps = [
        model("m1", 1, [user("hi")]),
        tool("t1", "weather", 10, {"city": "Oslo"}, output, metadata=metadata),
        model("m2", 20, [user("hi"), *heard]),
    ]
    return run(steps)


UNUSED = (
    _passing("by-id", "unused_results", True, _result_of(result("c", "cut"), tool_call_id="c")),
    _passing("whole", "unused_results", True, _result_of(result("", WORDS))),
    _passing("a-part", "unused_results", True, _result_of(user(f"I know {WORDS[9:45]}!"))),
    _failing("less", "unused_results", True, _result_of(user(WORDS[9:40])), "t1", says="weather"),
    _passing("allowed", "unused_results", 1, _result_of(user("?")), "t1"),
    _passing("short", "unused_results", True, _result_of(user("so 21 C"), output="21 C")),
    _passing(
        "json", "unused_results", True,
        _result_of(result("", '{"b": 2, "a": 1.0}'), output='{"a":1,"b":2}'),
    ),
    _passing("repr", "unused_results", True, _result_of(user("x 21 C"), output="{'c': '21 C'}")),
    _failing("before", "unused_results", True, run([
        model("m1", 1, [user(WORDS)]), tool("t1", "weather", 9, None, WORDS)]), "t1"),
    _passing(
        "caller", "unused_results", True,
        run(
            [called("a2", "writer", 1), model("m1", 90, [user(WORDS)])],
            [agent("a2", "writer", [tool("t1", "weather", 9, None, WORDS)])],
        ),
    ),
    _na("no-inputs", "unused_results", True, run([tool("t1", "a", 1, None, "x"), model("m1", 9)])),
    _na("no-results", "unused_results", True, run([model("m1", 1, [user("hi")])])),
    _na("messages", "unused_results", True, MESSAGES),
)  # fmt: skip
CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
OFFERED = json.dumps([{"type": "function", "function": {"name": "weather", "parameters": CITY}}])
GIVEN = json.dumps({"tools": [{"name": "weather", "input_schema": CITY}], "top_p": 1})


def _offered(given: object, key: str = "tool_definitions", offered: str = OFFERED) -> Any:
    return run([model("m1", 1, metadata={key: offered}), tool("t1", "weather", 10, given)])


ARGUMENTS = (
    _passing("fits", "arguments", "schema", _offered({"city": "Oslo"})),
    _failing("missing", "arguments", "schema", _offered({}), "t1", says="city"),
    _failing("parameters", "arguments", "schema",
             _offered({}, "invocation_parameters", GIVEN), "t1"),
    _passing("bare", "arguments", "schema", _offered("Oslo")),
    _passing("repr", "arguments", "schema", _offered("{'city': 'Oslo'}")),
    _na("none", "arguments", "schema", TWO),
    _na("unreadable", "arguments", "schema",
        _offered({"city": 1}, offered='[{"name":"weather","parameters":{"type":3}}]')),
)  # fmt: skip
MAIL = run([tool("t1", "send", 1, {"to": "ada@example.com"}, "sent"), tool("t2", "read", 9)])
KEY = run([tool("t1", "env", 1, None, "AWS=AKIA" + "Q" * 16)])
SENSITIVE = (
    _failing("found", "pii", True, MAIL, "t1", says="email (1 place)"),
    _passing("other-kind", "pii", ["card"], MAIL),
    _passing("other-side", "pii", "output", MAIL),
    _passing("other-tool", "pii", {"tools": ["read"]}, MAIL),
    _failing("this-tool", "pii", {"tools": ["se*"], "side": "input"}, MAIL, "t1"),
    _passing("none", "secrets", True, MAIL),
    _failing("found", "secrets", True, KEY, "t1", says="secret"),
)
ANSWER = (
    _passing("there", "answer", True, TWO, ROOT),
    _failing("empty", "answer", {}, run([tool("t", "a", 1)], output=" "), ROOT, says="is empty"),
    _passing("matches", "answer", {"matches": "^O.lo$", "contains": "sl"}, TWO, ROOT),
    _failing("no-match", "answer", {"matches": "Bergen"}, TWO, ROOT, says="does not match"),
    _failing("lacks", "answer", {"contains": ["Oslo", "rain"]}, TWO, ROOT, says="rain"),
    _failing("no-json", "answer", {"json_schema": CITY}, TWO, ROOT, says="is no JSON"),
    _failing("unfit", "answer", {"json_schema": CITY}, run([], output='{"city": 1}'), ROOT),
    _passing("fit", "answer", {"json_schema": CITY}, run([], output='{"city": "Oslo"}'), ROOT),
    _na("no-texts", "answer", True, run([model("m", 1)], input="", output="")),
)
OF_ITEM = (
    _failing("item", "max_steps", 9, TWO, "m1", "t1", "m2", "t2",
             expected={"rules": {"max_steps": 1, "max_tool_calls": 0}}),
    _rule("item-unreadable", "max_steps", 9, TWO, "error", expected={"rules": {"max_steps": "x"}},
          code="unreadable_expected"),
)  # fmt: skip
RULES = (
    *(*COUNTS, *TOOLS, *REPETITION, *LIMITS, *FAILURES, *UNUSED, *ARGUMENTS, *SENSITIVE, *ANSWER),
    *OF_ITEM,
)
FOUND = json.dumps([{"page_content": "a", "metadata": {"doc_uri": uri}} for uri in "abb"])
RAG = run(
    [
        tool(
            "t1", "find", 1, None, FOUND.replace('"a"', '"z"'), metadata={"tool_kind": "retrieval"}
        ),
        tool("t2", "find", 9, None, FOUND, metadata={"tool_kind": "retrieval"}),
    ],
    tokens=(100, 20),
)
RECALL = "retrieval/ground_truth/document_recall"


def _metric(
    name: str, judged: Any, score: str, status: str, value: Any = None, *evidence: str, **more: Any
) -> Case:
    config = {"kind": "databricks", **more.pop("config", {})}
    return Case(name, config, judged, score, status, None, evidence, value=value, **more)


def _expect(*uris: str) -> Mapping[str, Any]:
    return {"retrieved_context": [{"doc_uri": uri} for uri in uris]}


DATABRICKS = (
    _metric("recall-half", RAG, RECALL, "ok", 0.5, "t2", expected=_expect("b", "c", "b")),
    _metric("recall-all", RAG, RECALL, "ok", 1.0, "t2", expected=_expect("a", "b")),
    _metric("recall-not-expected", RAG, RECALL, "na"),
    _metric("recall-no-retrieval", TWO, RECALL, "na", expected=_expect("a")),
    _metric("recall-unreadable", RAG, RECALL, "error", expected={"retrieved_context": 3},
            code="unreadable_expected"),
    _metric("tokens", RAG, "agent/total_token_count", "ok", 120),
    _metric("tokens-in", RAG, "agent/input_token_count", "ok", 100),
    _metric("tokens-later-name", RAG, "agent/total_output_token_count", "ok", 20,
            config={"names": "mlflow2"}),
    _metric("tokens-unknown", UNKNOWN, "agent/total_token_count", "na"),
    _metric("latency", RAG, "agent/latency_seconds", "ok", 1.0,
            config={"metrics": ["agent/latency_seconds"]}),
    _metric("latency-unknown", MESSAGES, "agent/latency_seconds", "na"),
)  # fmt: skip


def is_oslo(document: Any, expected: Any) -> bool:
    return bool(document["root_step"]["output"] == expected.get("response", "Oslo"))


def as_object(document: Any, _: Any) -> Any:
    step = document["agent_steps"][0]["steps"][0]["id"]
    return {"score": 0.5, "passed": False, "reason": "so", "evidence": [step], "metrics": {"x": 1}}


def not_finite(_: Any, __: Any) -> float:
    return float("nan")


def nothing(_: Any, __: Any) -> None:
    return None


def raising(_: Any, __: Any) -> None:
    raise SystemExit("enough")


def not_meant(_: Any, __: Any) -> Any:
    return {"status": "na", "rationale": "no tools"}


def _code(function: Any, status: str, *rest: Any, **more: Any) -> Case:
    return Case(function.__name__, function, TWO, function.__name__, status, *rest, **more)


CALLABLES = (
    _code(is_oslo, "ok", True),
    _code(as_object, "ok", False, ("m1",), value=0.5, says="so"),
    _code(not_finite, "error", code="not_finite"),
    _code(nothing, "error", code="invalid_answer"),
    _code(raising, "error", code="crashed", says="enough"),
    _code(not_meant, "na", says="no tools"),
)


def _match(name: str, run_: Any, calls: list[str] | None, status: str, **found: Any) -> Case:
    expected = None if calls is None else {"tool_calls": [{"name": call} for call in calls]}
    evaluator = {"name": "path", "kind": "match", "mode": "in_order", "args": "ignore"}
    return Case(f"match-{name}", evaluator, run_, "path", status, expected=expected, **found)


MATCHES = (
    _match("passes", TEAM, ["search", "search"], "ok", passed=True),
    _match("fails", TWO, ["book", "search"], "ok", passed=False, evidence=["t1"], says="after"),
    _match("na", TWO, None, "na", says="no reference"),
    Case(
        "match-error",
        {"name": "path", "kind": "match"},
        TWO,
        "path",
        "error",
        expected={"trajectory": {}},
        code="unreadable_expected",
        says="reference",
    ),
)


def _judged(name: str, said: str, status: str, *rest: Any, **more: Any) -> Case:
    members = {"tries": 1, **more.pop("members", {})}
    evaluator = judge_by(Script([said]), **members).evaluator
    return Case(f"judge-{name}", evaluator, TWO, "polite", status, *rest, **more)


JUDGED = (
    _judged("passes", answer(True, [2]), "ok", True, ["t1"], says="so"),
    _judged("fails", answer(False, [3, 4, 9]), "ok", False, ["m2", "t2"]),
    _judged("wrong", answer("yes"), "error", code="invalid_answer", says="neither true nor false"),
    _judged("skipped", answer(True), "skipped", members={"budget": {"calls": 0}}, says="is spent"),
)
CASES: Sequence[Case] = (*RULES, *DATABRICKS, *CALLABLES, *MATCHES, *JUDGED)
"""All cases; a kind that is added adds its own."""
