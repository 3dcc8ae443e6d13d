"""Costs of calls, agents and runs: the sender's cost comes first, an unknown cost is never 0."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from tests.support.spans import KEY, chat, extract_spans, genai, make_span

from spanloom.core.extract import extract
from spanloom.core.pricing import OwnPrice, PriceBook, Rate, Rates

if TYPE_CHECKING:
    from spanloom.core.model.span import Span
    from spanloom.core.model.step import Step
    from spanloom.core.model.trajectory import Trajectory

MILLION = 1_000_000
GPT_4O = {"request__model": "gpt-4o", "provider__name": "openai"}
IN_HOUSE = PriceBook([OwnPrice("in-house", Rates(Rate(Decimal(1)), Rate(Decimal(3))))])
CATALOGUE = "genai-prices"


def _agent(number: int = 1, parent: int = 0) -> Span:
    return make_span(number, parent, genai("invoke_agent", agent__name=f"agent{number}"), end=99)


def _step(trajectory: Trajectory, number: int) -> Step:
    steps = [s for a in trajectory.agent_steps for s in (a.step, *a.steps)]
    return next(step for step in steps if int(step.id, 16) == number)


def test_tokens_cost_what_the_list_says() -> None:
    trajectory = extract_spans(_agent(), make_span(2, 1, chat(1000, 100, **GPT_4O)))
    assert _step(trajectory, 2).metadata["cost"] == "0.0035"
    assert _step(trajectory, 1).metadata["cost"] == "0.0035"
    cost = trajectory.extras["cost"]
    assert isinstance(cost, dict)
    (source,) = cost.pop("sources")
    assert source.startswith(CATALOGUE)
    assert source == _step(trajectory, 2).metadata["cost_source"]
    assert cost == {"usd": 0.0035, "known_usd": 0.0035}


def test_a_senders_own_figure_wins_and_is_marked() -> None:
    told = {**chat(1000, 100, **GPT_4O), "llm.cost.total": "0.5"}
    trajectory = extract_spans(_agent(), make_span(2, 1, told))
    metadata = _step(trajectory, 2).metadata
    assert (metadata["cost"], metadata["cost_source"]) == ("0.5", "sender")
    assert trajectory.extras["cost"] == {"usd": 0.5, "known_usd": 0.5, "sources": ["sender"]}


def test_one_unknown_price_makes_the_sum_unknown_and_keeps_what_is_known() -> None:
    trajectory = extract(
        KEY,
        [
            _agent(),
            make_span(2, 1, chat(MILLION, 0, request__model="in-house")),
            _agent(3, 1),
            make_span(4, 3, chat(MILLION, 0, request__model="unheard-of")),
        ],
        IN_HOUSE,
    )
    assert trajectory.extras["cost"] == {
        "usd": None,
        "known_usd": 1.0,
        "sources": ["own"],
        "unpriced_calls": 1,
        "unpriced_models": ["unheard-of"],
    }
    assert _step(trajectory, 1).metadata["cost"] == "1"  # its own calls, not its sub-agent's
    assert "cost" not in _step(trajectory, 3).metadata
    assert "cost" not in _step(trajectory, 4).metadata


def test_a_call_that_failed_before_it_used_tokens_leaves_the_sum_known() -> None:
    refused = make_span(3, 1, chat(request__model="in-house"), status="Error", message="429")
    paid = make_span(2, 1, chat(MILLION, MILLION, request__model="in-house"))
    cost = extract(KEY, [_agent(), paid, refused], IN_HOUSE).extras["cost"]
    assert cost == {"usd": 4.0, "known_usd": 4.0, "sources": ["own"]}


def test_an_answer_without_tokens_has_an_unknown_cost() -> None:
    silent = make_span(2, 1, chat(request__model="in-house"))
    cost = extract(KEY, [_agent(), silent], IN_HOUSE).extras["cost"]
    assert isinstance(cost, dict)
    assert (cost["usd"], cost["known_usd"], cost["unpriced_calls"]) == (None, None, 1)


def test_a_run_without_calls_tells_no_cost() -> None:
    assert "cost" not in extract_spans(_agent(), make_span(2, 1, genai("execute_tool"))).extras
