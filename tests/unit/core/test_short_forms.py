"""Queries typed in short forms become the intended ``where``; unknown forms stay invalid."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanloom.core.query.where.fields import RUN_FIELDS
from spanloom.core.query.where.parser import parse_where
from spanloom.core.query.where.problems import InvalidWhereError
from spanloom.core.query.where.short_forms import spell

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
    "error": "has_error",
    "-error": "not has_error",
    "type:tool error": "has(type = tool and error)",
    "type:tool error tokens>9": "has(type = tool and error) and tokens > 9",
    "type:tool error or error": "has(type = tool and error) or has_error",
    "type:tool error rate": 'has(type = tool) and "error rate"',
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


@pytest.mark.parametrize("text", SHORT)
def test_short_forms_are_questions_and_stay_what_they_became(text: str) -> None:
    spelled = spell(text)
    assert spelled == SHORT[text]
    assert spell(spelled) == spelled
    if spelled:
        parse_where(spelled, now_ns=0)


@pytest.mark.parametrize("text", UNREADABLE)
def test_what_nobody_knows_is_left_to_be_told_of(text: str) -> None:
    spelled = spell(text)
    assert spelled == UNREADABLE[text]
    with pytest.raises(InvalidWhereError):
        parse_where(spelled, now_ns=0)


def documented_questions() -> list[str]:
    text = Path("docs/query.md").read_text("utf-8")
    blocks = re.findall(r"<!-- example: questions -->\n```text\n(.*?)```", text, re.DOTALL)
    return [line for block in blocks for line in block.splitlines()]


@pytest.mark.parametrize(
    "text", [*documented_questions(), *(f.example for f in RUN_FIELDS.values())]
)
def test_what_is_in_the_language_means_the_same(text: str) -> None:
    assert parse_where(spell(text), now_ns=0) == parse_where(text, now_ns=0)


@given(st.text("ab:1 ()\"'-.<=kis", max_size=30))
def test_any_line_is_spelled(line: str) -> None:
    assert isinstance(spell(line), str)
