"""Model calls with different texts are two calls, whatever their token counts and times."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import orjson
import pytest
from tests.support.spans import chat, extract_spans, genai, make_span, step_types

from spanloom.core.duplicates import wording
from spanloom.core.duplicates.wording import contradict
from spanloom.core.model.message import make_message

if TYPE_CHECKING:
    from spanloom.core.model.span import Span


def says(answer: str, question: str = "Is it spam?") -> tuple[str, str]:
    return make_message(question, "user"), make_message(answer, "assistant")


def roles(*names: str) -> str:
    """Return a question and another message with the given roles, as JSON."""
    texts = ("Is it spam?", "A result of a tool whose role was lost.")
    return orjson.dumps(
        [{"role": r, "content": t} for r, t in zip(names, texts, strict=True)]
    ).decode()


def requests(name: str, arguments: str) -> tuple[str, str]:
    call = {"type": "function", "function": {"name": name, "arguments": arguments}}
    message = {"role": "assistant", "content": "", "tool_calls": [call]}
    return says("")[0], json.dumps([message])


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (says("no"), says("yes")),
        (says("no", "Is mail A spam?"), says("no", "Is ticket 7 urgent?")),
        (says('{"spam":true}'), says('{"spam":false}')),
        (requests("weather", '{"city":"Oslo"}'), requests("weather", '{"city":"Rome"}')),
        (("", "no"), ("", "yes")),
    ],
)
def test_other_words_are_of_another_call(ours: tuple[str, str], theirs: tuple[str, str]) -> None:
    assert contradict(ours, theirs)
    assert contradict(theirs, ours)
    assert not contradict(ours, ours)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (says("It is  dry.\n"), says("It is dry")),
        (says("It is dry. Take sunglasses."), says("It is dry.")),
        (says("no"), says("__REDACTED__")),
        (says("no"), ("", "")),
        (says("no"), (make_message("You judge mails.", "system"), says("no")[1])),
        (says("I look."), requests("weather", '{"city":"Oslo"}')),
        (requests("weather", '{"city": "Oslo"}'), requests("weather", '{"city":"Oslo"}')),
        (requests("weather", '{"city":"Oslo"}'), requests("weather", "")),
        (says("no"), (roles("user", "user"), says("no")[1])),
        (says("no"), ("", '[{"role": "assistant", "content": "n')),
        (says("no"), says('[{"role": "assistant", "content": "n')),
        (says("no"), ("", '{"generations": [[{"text": "no"}]]}')),
        (says("a" * 300 + "b"), says("a" * 300 + "[cut]")),
    ],
)
def test_other_parts_and_other_forms_are_of_the_same(
    ours: tuple[str, str], theirs: tuple[str, str]
) -> None:
    assert not contradict(ours, theirs)
    assert not contradict(theirs, ours)


def reported(number: int, scope: str, texts: tuple[str, str]) -> Span:
    asked, answered = texts
    said = {"gen_ai.input.messages": asked, "gen_ai.output.messages": answered}
    return make_span(number, 1, {**chat(58, 1), **said}, start=number, end=50, scope=scope)


def models(*spans: Span) -> list[int]:
    types = step_types(extract_spans(make_span(1, 0, genai("invoke_agent"), end=100), *spans))
    return [number for number, kind in types.items() if kind == "model"]


def test_parallel_calls_with_equal_counts_are_two_if_they_say_different_things() -> None:
    no = [reported(2, "framework", says("no")), reported(4, "client", says("no"))]
    yes = [reported(3, "framework", says("yes")), reported(5, "client", says("yes"))]
    assert models(no[0], yes[1]) == [2, 5]
    assert models(no[0], no[1]) == [2]
    assert models(*no, *yes) == [2, 3]


def test_without_texts_the_counts_decide() -> None:
    assert models(reported(2, "framework", says("no")), reported(3, "client", ("", ""))) == [2]


def test_the_quick_way_for_ascii_finds_the_same_letters() -> None:
    every = "".join(map(chr, range(128)))
    assert wording._only_words(every) == wording._NO_WORDS.sub("", every).lower()
    assert wording._only_words(f"{every}É") == wording._only_words(every) + "é"
