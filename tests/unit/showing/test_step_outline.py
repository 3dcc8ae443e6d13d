"""The outline of a run orders its steps, and shows equal neighbours as one line."""

from __future__ import annotations

from typing import Any

import pytest

from spanloom.core.showing.steps import outline, place_steps


def step(name: str, at: int, ms: int = 10, error: str = "") -> dict[str, Any]:
    failed = {"error": {"code": "E", "msg": error}} if error else {}
    info = {"started_at": str(at), "duration": str(ms), **failed}
    return {"id": f"{at:08}{ms:08}", "type": "tool", "name": name, "basic_info": info}


def run(*steps: dict[str, Any], agent: str = "shop") -> dict[str, Any]:
    return {"agent_steps": [{"name": agent, "steps": list(steps)}]}


def test_equal_neighbours_are_one_line() -> None:
    orders = [step("get_order", at) for at in range(3)]
    lines = list(outline(place_steps(run(*orders, step("refund", 9, ms=5)))))
    about = {"type": "tool", "agent": "shop"}
    assert lines == [
        {"from": 1, "to": 3, "times": 3, "name": "get_order", "ms": 30, **about},
        {"from": 4, "name": "refund", "ms": 5, **about},
    ]


def test_what_failed_otherwise_is_another_line() -> None:
    steps = (step("a", 1), step("a", 2, error="late"), step("a", 3, error="late"), step("a", 4))
    lines = list(outline(place_steps(run(*steps))))
    assert [(line["from"], line.get("error")) for line in lines] == [
        (1, None),
        (2, "E: late"),
        (4, None),
    ]


@pytest.mark.parametrize(
    ("code", "message", "told"),
    [
        (429, "slow down", "429: slow down"),
        (-1, "boom", "boom"),
        (500, "", "500: failed"),
        (-1, "", "failed"),
    ],
)
def test_a_failure_is_told_in_words(code: int, message: str, told: str) -> None:
    failed = step("a", 1)
    failed["basic_info"]["error"] = {"code": code, "msg": message}
    assert place_steps(run(failed))[0].error == told


def test_of_equal_starts_the_longest_comes_first_whatever_the_order() -> None:
    document = run(step("inner", 5, ms=1), step("outer", 5, ms=9), step("before", 4))
    assert [own.step.name for own in place_steps(document)] == ["before", "outer", "inner"]
