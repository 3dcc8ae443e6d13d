"""A suite with a model as judge, whose address is in the environment."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.support.loopback_model import Answer, provider_of
from tests.support.plugin_suites.acting import act
from tests.support.scripted_judge import MODEL, answer

if TYPE_CHECKING:
    from pathlib import Path

    from spanloom.testing.opening import OpenRun

CONFIG = {"model": MODEL, "criteria": "Is it kind?", "scale": {"min": 0, "max": 1}, "tries": 1}


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> object:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-plugin-0000000000")
    monkeypatch.setenv("SPANLOOM_JUDGE_CACHE", str(tmp_path))
    with provider_of(Answer(answer(0.9)), Answer(answer(0.5))) as provider:
        monkeypatch.setenv("OPENAI_BASE_URL", provider.url)
        yield provider


@pytest.mark.usefixtures("answers")
def test_enough(agent_run: OpenRun) -> None:
    with agent_run() as run:
        act("search")
    run.rules(max_tool_calls=1)
    run.judge({**CONFIG, "name": "polite"}, threshold=0.8)
    assert run.results[-1]["value"] == 0.9


@pytest.mark.usefixtures("answers")
def test_too_little(agent_run: OpenRun) -> None:
    with agent_run() as run:
        act("search", "book")
    run.judge({**CONFIG, "name": "polite"}, 0.95)


def test_without_a_key(agent_run: OpenRun, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with agent_run() as run:
        act("search")
    run.judge(CONFIG)


def test_without_a_model(agent_run: OpenRun, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SPANLOOM_JUDGE_MODEL", raising=False)
    with agent_run() as run:
        act("search")
    run.judge("polite", threshold=0.8)


def test_repeated(agent_run: OpenRun) -> None:
    for _ in range(2):
        with agent_run() as run:
            act("search")
        run.check("tool_steps = 1")


def test_name() -> None:
    assert json.loads(answer(True))["value"] is True
