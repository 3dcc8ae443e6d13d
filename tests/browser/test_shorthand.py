"""What is typed into the list's box becomes the question that was meant, or is told of."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from tests.support.page_runs import PageRuns, send_page_runs

from spanloom.api.stats.schemas import FieldItem
from spanloom.core.query.where.fields import RUN_FIELDS, STEP_FIELDS
from spanloom.core.query.where.parser import parse_where
from spanloom.core.query.where.problems import InvalidWhereError

if TYPE_CHECKING:
    from playwright.sync_api import Page
    from tests.conftest import RunningSpanloom
    from tests.support.page_modules import Modules

FIELDS = [
    *(FieldItem.of_field(field, "trajectories").model_dump() for field in RUN_FIELDS.values()),
    *(FieldItem.of_field(field, "steps").model_dump() for field in STEP_FIELDS.values()),
]
ID = "0af7651916cd43dd8448eb211c80319c"
SHORT = {
    "type:tool": "has(type = tool)",
    "type:tool name:search_web": 'has(type = tool and name = "search_web")',
    "tool:search tool:refund": 'has(tool = "search") and has(tool = "refund")',
    "type:tool or error:429": "has(type = tool) or has(error_code = 429)",
    "status:live": "status = live",
    'type:"tool"': "has(type = tool)",
    "error:429": "has(error_code = 429)",
    "error>=500": "has(error_code >= 500)",
    "error:timeout": 'error: "timeout"',
    'error:"429"': 'error: "429"',
    "tokens>10k": "tokens > 10000",
    "tokens:>=1.5M": "tokens >= 1500000",
    "errors>2": "failures > 2",
    "cost>0.5": "cost > 0.5",
    "duration>30s": "duration > 30s",
    "start>-24h": "start > -24h",
    "start>2026-01-31T12:00Z": 'start > "2026-01-31T12:00Z"',
    "agent:planner": 'agent = "planner"',
    "model~^gpt-4": 'model ~ "^gpt-4"',
    'agent:"flight planner"': 'agent = "flight planner"',
    "is:annotated": "annotated",
    "-is:annotated": "not annotated",
    "is:live": "status = live",
    "is:failed": "outcome = failed",
    "is:error": "has_error",
    "-type:tool": "not has(type = tool)",
    "not agent:planner": 'not agent = "planner"',
    '-"free text"': 'not "free text"',
    "-weather": 'not "weather"',
    "-(is:live or is:paused)": "not (status = live or outcome = paused)",
    "meta.user=7": 'metadata.user = "7"',
    "metadata.tier:gold": 'metadata.tier = "gold"',
    '"free text"': '"free text"',
    "rate limit": '"rate limit"',
    "weather": '"weather"',
    ID.upper(): f'trace_id = "{ID}"',
    f"weather {ID} -{ID}": f'"weather" and trace_id = "{ID}" and not trace_id = "{ID}"',
    f"{ID} or {ID}": f'trace_id = "{ID}" or trace_id = "{ID}"',
    "退款": '"退款"',
    "it's over 50%": '"it\'s over 50%"',
    "type:tool rate limit has_error": 'has(type = tool) and "rate limit has_error"',
    "has_error duplicate": "has_error and duplicate",
    "is:annotated and not score:helpful < 3": "annotated and not score.helpful < 3",
    'score: "tool accuracy" exists': 'score."tool accuracy" exists',
    'input: "is:annotated score:x"': 'input: "is:annotated score:x"',
    "input:refund": 'input: "refund"',
    "has(type = tool then error) agent:a": 'has(type = tool then error) and agent = "a"',
    "count(type = tool) >= 2 status:live": "count(type = tool) >= 2 and status = live",
    "status in (live, partial) cost exists": "status in (live, partial) and cost exists",
    "type:tool name:search_web status:live error:429 tokens>10k duration>30s agent:planner"
    ' is:annotated -is:annotated meta.user=7 "free text"': 'has(type = tool and name = "search_web"'
    " and error_code = 429) and status = live and tokens > 10000 and duration > 30s and"
    ' agent = "planner" and annotated and not annotated and metadata.user = "7" and "free text"',
    "": "",
}
UNREADABLE = {
    "durtion": "durtion",
    "agent": "agent",
    'agent:"no end': 'agent:"no end',
    "(is:live": "(is:live",
    "search and rescue": "search and rescue",
    "foo:bar": 'foo: "bar"',
    "typ:tool": 'typ: "tool"',
    "status:lve": "status = lve",
    "is:anotated": "anotated",
    "tokens>many": "tokens > many",
}


def spelled(modules: Modules, text: str) -> str:
    return str(modules.call("state/shorthand.js", "return m.spelled(a[0], a[1])", text, FIELDS))


@pytest.mark.parametrize("text", SHORT)
def test_short_forms_are_questions_and_stay_what_they_became(modules: Modules, text: str) -> None:
    told = spelled(modules, text)
    assert told == SHORT[text]
    assert spelled(modules, told) == told
    if told:
        parse_where(told, now_ns=0)


@pytest.mark.parametrize("text", UNREADABLE)
def test_what_nobody_knows_is_left_for_the_service_to_tell_of(modules: Modules, text: str) -> None:
    told = spelled(modules, text)
    assert told == UNREADABLE[text]
    with pytest.raises(InvalidWhereError):
        parse_where(told, now_ns=0)


def documented_questions() -> list[str]:
    text = Path("docs/query.md").read_text("utf-8")
    blocks = re.findall(r"<!-- example: questions -->\n```text\n(.*?)```", text, re.DOTALL)
    return [line for block in blocks for line in block.splitlines()]


@pytest.mark.parametrize(
    "text", [*documented_questions(), *(f.example for f in RUN_FIELDS.values())]
)
def test_what_is_in_the_language_means_the_same(modules: Modules, text: str) -> None:
    assert parse_where(spelled(modules, text), now_ns=0) == parse_where(text, now_ns=0)


@pytest.fixture(scope="module")
def runs(service: RunningSpanloom) -> PageRuns:
    return send_page_runs(service)


@pytest.mark.usefixtures("runs")
def test_what_is_typed_becomes_chips(page: Page, service: RunningSpanloom) -> None:
    page.goto(service.api)
    box = page.get_by_label("Which runs")
    box.fill("type:tool name:weather -is:annotated steps>1")
    box.press("Enter")
    chips = page.locator(".chip code")
    step = 'has(type = tool and name = "weather")'
    expect(chips).to_have_text([step, "not annotated", "steps > 1"])
    expect(page.locator("table.runs tbody tr")).to_have_count(1)
    page.get_by_role("button", name="Take out steps > 1").click()
    expect(box).to_have_value(f"{step} and not annotated")
    box.fill("is:error")
    box.press("Enter")
    expect(box).to_have_value("has_error")
    box.fill("is:error")
    box.press("Enter")
    expect(box).to_have_value("has_error")


@pytest.mark.usefixtures("runs")
def test_an_unknown_term_says_what_was_meant(page: Page, service: RunningSpanloom) -> None:
    page.goto(service.api)
    page.get_by_label("Which runs").fill("typ:tool")
    page.keyboard.press("Enter")
    expect(page.locator(".fault mark")).to_have_text("typ")
    page.get_by_role("button", name="type?").click()
    expect(page.locator(".chip code")).to_have_text(["has(type = tool)"])
    expect(page.locator("table.runs tbody tr").first).to_be_visible()


@pytest.mark.usefixtures("runs")
def test_a_word_that_nobody_said_is_offered_as_a_name(page: Page, service: RunningSpanloom) -> None:
    page.goto(service.api)
    page.get_by_label("Which runs").fill("forecaster")
    page.keyboard.press("Enter")
    page.get_by_role("button", name='root_name = "forecaster"').click()
    expect(page.locator("table.runs tbody tr")).to_have_count(1)


@pytest.mark.usefixtures("runs")
def test_error_alone_is_answered_with_a_question_that_can_be_asked(
    page: Page, service: RunningSpanloom
) -> None:
    page.goto(service.api)
    page.get_by_label("Which runs").fill("error")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="error?", exact=True)).to_have_count(0)
    page.get_by_role("button", name="has_error?").click()
    expect(page.get_by_label("Which runs")).to_have_value("has_error")
    expect(page.locator(".fault mark")).to_have_count(0)
