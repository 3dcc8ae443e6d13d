"""The comparison of two runs shows all differences, in words."""

from __future__ import annotations

import json
import secrets
from typing import TYPE_CHECKING, Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from playwright.sync_api import expect
from tests.support.annotated_page import MS, START_NS
from tests.support.axe import moderate
from tests.support.examples import examples
from tests.support.otlp_requests import message_of, wire_span
from tests.support.page_runs import send, wait_for_all

from spanloom.core.diff.message_text import differing_messages, message_text

if TYPE_CHECKING:
    from playwright.sync_api import Page
    from tests.conftest import RunningSpanloom
    from tests.support.page_modules import Modules


def send_planned(
    service: RunningSpanloom, model: str, prompt: str, calls: int, start_ns: int
) -> str:
    """Send a run of model steps that answer ``dish 0``, ``dish 1``…; return its trace id."""
    trace = secrets.token_hex(16)
    planner = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "dinner_planner"}
    spans = [wire_span(trace, 1, 0, "dinner_planner", start_ns, planner)]
    said = [_message("user", "A dinner for 8.")]
    for n in range(calls):
        answer = _message("assistant", f"dish {n}")
        attributes = {
            "gen_ai.operation.name": "chat",
            "gen_ai.request.model": model,
            "gen_ai.system_instructions": json.dumps([{"type": "text", "content": prompt}]),
            "gen_ai.input.messages": json.dumps(said),
            "gen_ai.output.messages": json.dumps([{**answer, "finish_reason": "stop"}]),
            "gen_ai.usage.input_tokens": 1000 + n,
        }
        start = start_ns + (n + 1) * MS
        spans.append(wire_span(trace, n + 2, 1, f"chat {model}", start, attributes))
        said = [*said, answer, _message("user", f"more {n}")]
    send(service, message_of(spans))
    return trace


def _message(role: str, text: str) -> dict[str, object]:
    return {"role": role, "parts": [{"type": "text", "content": text}]}


def test_calls_of_another_model_and_prompt_stand_side_by_side(
    page: Page, service: RunningSpanloom
) -> None:
    new = send_planned(service, "gpt-4o", "You plan new dinners.", 4, START_NS)
    old = send_planned(service, "gpt-4o-mini", "You plan old dinners.", 3, START_NS - 9_000 * MS)
    wait_for_all(service.api, [old, new])
    page.goto(f"{service.api}/diff?a={new}&b={old}")
    steps = page.locator(".steps-of tr:not(.change)").filter(has_text="model")
    expect(steps.locator("td")).to_have_text(
        [*(f"step {n}" for n in (0, 0, 1, 1, 2, 2)), "\u2013", "step 3"]
    )
    expect(steps.last).to_contain_text("only second")
    names = page.locator("table.sides thead a")
    expect(names.first).to_have_attribute("href", f"/trajectories/{old}")  # the older is left
    prompts = page.locator(".steps-of .change").filter(has_text="You plan")
    expect(prompts.locator("td")).to_have_text(
        ["system: You plan old dinners.", "system: You plan new dinners."]
    )
    expect(prompts.locator("del")).to_have_text("old")
    expect(prompts.locator("ins")).to_have_text("new")
    assert '{"role"' not in page.locator("main").inner_text()
    tokens = page.locator("table.sums tr", has_text="input tokens").locator("td")
    expect(tokens).to_have_text(["3.0k", "4.0k", "+1.0k (+33 %)"])
    assert moderate(page) == []
    page.get_by_role("link", name="the other way round").click()
    expect(names.first).to_have_attribute("href", f"/trajectories/{new}")
    expect(page.locator(".steps-of")).to_contain_text("only first")
    page.get_by_role("checkbox", name="whole texts").check()
    expect(page.locator(".steps-of .change del").first).to_be_visible()
    expect(names.first).to_have_attribute("href", f"/trajectories/{new}")


MESSAGES = st.lists(
    st.fixed_dictionaries(
        {"role": st.sampled_from(["system", "user", "developer", "tool"])},
        optional={
            "content": st.sampled_from(["", "a", "b c", None, [{"type": "text", "text": "a"}]]),
            "tool_calls": st.sampled_from(
                [None, [{"function": {"name": "f", "arguments": {"q": 1}}}], ["odd"]]
            ),
            "refusal": st.sampled_from(["no", None, 7]),
        },
    ),
    max_size=5,
)


@settings(
    max_examples=examples(100),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(MESSAGES, MESSAGES)
def test_messages_are_told_in_the_words_of_the_shell(
    modules: Modules, a: list[Any], b: list[Any]
) -> None:
    told = modules.call("diff/messages.js", "return m.messagePairs(a[0], a[1])", a, b)
    assert [*map(message_text, a)] == modules.call(
        "diff/messages.js", "return a[0].map(m.wordsOf)", a
    )
    assert bool(told) == bool([*differing_messages(a, b)])
