"""The ``where`` language: the condition that a text means, and the exact positions of mistakes."""

from __future__ import annotations

import pytest

from spanloom.core.model.notation import MAX_WHERE_BYTES
from spanloom.core.query.where import reader as limits
from spanloom.core.query.where.fields import RUN_FIELDS, STEP_FIELDS
from spanloom.core.query.where.parser import parse_steps_where, parse_where
from spanloom.core.query.where.problems import (
    InvalidWhereError,
    UnreadableWhereError,
    WhereProblem,
)
from spanloom.core.query.where.tree import (
    And,
    Chain,
    Compare,
    Condition,
    Count,
    Exists,
    In,
    Link,
    Not,
    Operator,
    Or,
    Under,
    Words,
)

NOW = 1_800_000_000 * 10**9
SEARCH = Compare(STEP_FIELDS["tool"], Operator.EQUAL, "search")
REFUND = Compare(STEP_FIELDS["tool"], Operator.EQUAL, "refund")
FAILED = Exists(RUN_FIELDS["has_error"])

MEANT: list[tuple[str, Condition]] = [
    ("has_error", FAILED),
    ("NOT has_error", Not(FAILED)),
    ("duration > 2m", Compare(RUN_FIELDS["duration"], Operator.MORE, 120 * 10**9)),
    ("duration <= 1.5h", Compare(RUN_FIELDS["duration"], Operator.AT_MOST, 5_400 * 10**9)),
    ('has(tool = "search" then tool = "refund")', Chain((SEARCH, REFUND), (Link(None),))),
    ('has(tool = "search" NEXT tool = "refund")', Chain((SEARCH, REFUND), (Link(1),))),
    (
        'has(tool = "search" within 3 error)',
        Chain((SEARCH, Exists(STEP_FIELDS["error"])), (Link(3),)),
    ),
    ('has(tool = "search")', Chain((SEARCH,), ())),
    ('has(tool = "refund" under tool = "search")', Under(REFUND, SEARCH, is_child=False)),
    ('has(tool = "refund" child of tool = "search")', Under(REFUND, SEARCH, is_child=True)),
    (
        "count(type = tool and error) >= 2",
        Count(
            And(
                (
                    Compare(STEP_FIELDS["type"], Operator.EQUAL, "tool"),
                    Exists(STEP_FIELDS["error"]),
                )
            ),
            Operator.AT_LEAST,
            2,
        ),
    ),
    (
        "steps = 1 or steps = 2 and has_error",
        Or(
            (
                _steps := Compare(RUN_FIELDS["steps"], Operator.EQUAL, 1),
                And((_steps._replace(value=2), FAILED)),
            )
        ),
    ),
    ('"rate limit"', Words("rate limit")),
    ('output: "退款 失败"', Compare(RUN_FIELDS["output"], Operator.HAS_WORDS, "退款 失败")),
    ("status not in (live, partial)", Not(In(RUN_FIELDS["status"], ("live", "partial")))),
    ("conversation exists", Exists(RUN_FIELDS["conversation"])),
    ("has_error = false", Compare(RUN_FIELDS["has_error"], Operator.EQUAL, False)),
    ("duration > 1.5s", Compare(RUN_FIELDS["duration"], Operator.MORE, 1_500_000_000)),
    ("start >= -24h", Compare(RUN_FIELDS["start"], Operator.AT_LEAST, NOW - 86_400 * 10**9)),
    (
        "start < '2026-01-31T12:00:00.000001+01:00'",
        Compare(RUN_FIELDS["start"], Operator.LESS, 1_769_857_200_000_001_000),
    ),
    (
        r'metadata."cust.id" = "it\'s \u9000\n"',
        Compare(RUN_FIELDS["metadata"], Operator.EQUAL, "it's 退\n", "cust.id"),
    ),
    ("metadata.a.b exists", Exists(RUN_FIELDS["metadata"], "a.b")),
]


@pytest.mark.parametrize(("text", "meant"), MEANT, ids=[text for text, _ in MEANT])
def test_what_a_text_demands(text: str, meant: Condition) -> None:
    assert parse_where(text, NOW) == meant


def test_every_example_of_a_field_is_read() -> None:
    for field in RUN_FIELDS.values():
        parse_where(field.example, NOW)
    for field in STEP_FIELDS.values():
        parse_steps_where(field.example, NOW)


def _problems(text: str) -> list[WhereProblem]:
    with pytest.raises(InvalidWhereError) as caught:
        parse_where(text, NOW)
    return caught.value.problems


def test_every_problem_is_told_at_once_where_it_stands() -> None:
    first, second, third = _problems("durtion > 5s and 退款 = 1 or status = setled")
    assert (first.position, first.length, first.did_you_mean) == (0, 7, ("duration",))
    assert first.message == "no run field 'durtion'"
    assert (second.position, second.length) == (17, 2)  # code points, not bytes
    assert (third.position, third.did_you_mean) == (36, ("settled",))


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("typ = tool", ("type",)),  # a field of steps; no field of runs is similar
        ("error", ("has_error",)),
        ("duration", ()),
    ],
)
def test_a_field_that_was_meant_is_named(text: str, meant: tuple[str, ...]) -> None:
    [problem] = _problems(text)
    assert problem.did_you_mean == meant


@pytest.mark.parametrize(
    ("text", "position", "message"),
    [
        ("", 0, "a condition is missing here"),
        ("has_error and", 13, "a condition is missing here"),
        ("(has_error", 10, ") is missing"),
        ("has_error true", 10, "this cannot follow"),
        ('trace_id = "abc', 11, "this string has no end"),
        (r'trace_id = "\q"', 12, r"\q is no escape"),
        (r'trace_id = "\ud800"', 12, r"\ud800 is no escape"),
        ("has_error; drop", 9, "';' means nothing here; put texts in quotes"),
        ("status = then", 9, "a value is missing here; put texts in quotes"),
        ("count(error)", 12, "this is compared with a number"),
        ("has(error child error)", 16, "child is followed by of"),
    ],
)
def test_what_cannot_be_read_breaks_off(text: str, position: int, message: str) -> None:
    with pytest.raises(UnreadableWhereError) as caught:
        parse_where(text, NOW)
    last = caught.value.problems[-1]
    assert (last.position, last.message) == (position, message)


@pytest.mark.parametrize(
    ("text", "position", "message"),
    [
        ("duration > 5", 11, "a duration has a unit; units are ns, us, ms, s, m, h, d"),
        ("duration > 5parsecs", 11, "'parsecs' is no unit; units are ns, us, ms, s, m, h, d"),
        ("steps > 1.5", 8, "this needs a whole number: 5"),
        ("steps > 99999999999999999999", 8, "this number is too large"),
        ("has_error = yes", 12, "has_error is true or false"),
        ('agent ~ "(?=x)"', 8, "(?= is not known here: patterns are RE2's"),
        ('agent ~ "("', 8, "this is no pattern: missing ): ("),
        ('"?!"', 0, "there is no word in this text"),
        (
            "tool_time + 2 > 1s",
            0,
            "a number cannot be added to a duration: 2s has a unit, 2 has none",
        ),
        ("duration * tool_time > 1s", 0, "two durations cannot be multiplied"),
        ("5 / duration > 1", 0, "a number cannot be divided by a duration: 5 / (duration / 1s)"),
        (
            "steps > 1 and duration / steps > 2",
            14,
            "a duration is compared with a duration, 2s; a number with a number",
        ),
        (
            "start - 1h > 2s",
            0,
            "start is a time, which is only compared; durations can be calculated with",
        ),
        ("score.a - 1 > 1", 0, "score may have several values: it is only compared"),
        ("steps + agent > 1", 8, "agent is no number: it cannot be calculated with"),
        ("steps + 2parsecs > 1", 8, "'parsecs' is no unit; units are ns, us, ms, s, m, h, d"),
        ("steps + 9999999999999999999 > 1", 8, "this number is too large"),
        ("steps / tols > 1", 8, "no run field 'tols'"),
        ("steps + 1 ~ 2", 10, "a number cannot be compared by ~"),
        ("has(count(error) / 2 > 1)", 4, "a step has no steps; put count(…) outside"),
        ("status > live", 7, "status cannot be compared by >"),
        ("duration", 0, "duration is compared with something"),
        ("steps > 1 and input exists", 14, 'input is asked for words: input: "rate limit"'),
        ("metadata = 1", 0, 'metadata is asked by key: metadata.tier = "gold"'),
        ("steps.a = 1", 0, "steps has no keys"),
        ("has(has(error))", 4, "a step has no steps; put has(…) outside"),
        ('has("refund")', 4, 'in steps, search texts by part: output: "refund"'),
        ("has(error within 0 error)", 17, "this takes at least 1"),
        ("name = 'x'", 0, 'name is a field of steps: has(name = "search")'),
        ("input in ('a')", 0, "input cannot be one of several values"),
    ],
)
def test_what_a_field_cannot_be(text: str, position: int, message: str) -> None:
    (problem,) = _problems(text)
    assert (problem.position, problem.message) == (position, message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("has_error" + " " * MAX_WHERE_BYTES, "longer than 4096 bytes"),
        ("(" * limits.MAX_DEPTH + "has_error", "nested deeper than 32"),
        (" or ".join(["has_error"] * (limits.MAX_COMPARISONS + 1)), "more than 64 comparisons"),
        (f"has({' then '.join(['error'] * 7)})", "a chain has at most 6 steps"),
        ("has(error within 1001 error)", "this takes at most 1000"),
        (f"steps in ({', '.join(['1'] * 201)})", "in takes at most 200 values"),
        (f'agent ~ "{"a" * 257}"', "a pattern has at most 256 characters"),
        ('"a b c d e f g h i"', "9 words; at most 8 can be looked for at once"),
    ],
)
def test_what_is_too_large_is_refused(text: str, message: str) -> None:
    assert _problems(text)[-1].message == message


def test_what_is_just_small_enough_is_read() -> None:
    parse_where("(" * 31 + "has_error" + ")" * 31, NOW)
    parse_where(" or ".join(["has_error"] * 64), NOW)
    parse_where(f"has({' then '.join(['error'] * 6)})", NOW)
    parse_where(f"steps in ({', '.join(['1'] * 200)})", NOW)
