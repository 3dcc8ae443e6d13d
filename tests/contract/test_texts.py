"""What a store promises of full text, against every implementation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.otlp_requests import START_NS
from tests.support.texts import conversation, found, model, step, store_texts

from spanloom.core.model.span import TraceKey

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanloom.core.ports.store import Store


def test_a_word_of_the_sixth_input_is_found_once_at_the_step_that_brought_it(
    store: Store, key: TraceKey
) -> None:
    said = ["hello", "hi", "where is it", "there", "and then", "nowhere"]
    calls = [model(n, conversation(*said[: 2 * n + 1]), said[2 * n + 1]) for n in range(3)]
    calls.append(model(3, conversation(*said, "look for the zanzibar"), "done"))
    calls.append(model(4, conversation(*said, "look for the zanzibar", "done", "thanks"), "bye"))
    store_texts(store, key, calls)
    assert found(store, key.project, "zanzibar") == [("04", "input")]
    assert found(store, key.project, "nowhere") == [("03", "output")]
    assert found(store, key.project, "hello") == [("01", "input")]


@pytest.mark.parametrize(
    ("query", "places"),
    [
        ("refund", [("02", "input"), ("03", "output")]),
        ("REFUND failed", [("03", "output")]),
        ('"refund failed"', []),
        ('"refund has failed"', [("03", "output")]),
        ("ORD-1234", [("02", "input")]),
        ("1234", [("02", "input"), ("03", "output")]),
        ("kubern*", [("04", "output")]),
        ("nothing*", []),
        ('"kubernetes clus*"', [("04", "output")]),
        ('"clus* kubernetes"', []),
        ("退款失败", [("04", "output")]),
        ("失败退款", []),
        ('"款失"', [("04", "output")]),
        ("timeout", [("04", "error")]),
        ("order_id", [("02", "input")]),
        ("again", [("03", "output")]),
    ],
)
def test_words_phrases_ids_and_prefixes_are_found(
    store: Store, texts_key: TraceKey, query: str, places: list[tuple[str, str]]
) -> None:
    assert found(store, texts_key.project, query) == places


@pytest.fixture
def texts_key(store: Store, key: TraceKey) -> TraceKey:
    steps = [
        step(1, '{"order_id": "ORD-1234", "reason": "refund"}'),
        step(2, "", '{"note": "1234 ord: The refund has failed.\\nAgain"}'),
        step(3, "", "退款失败 on the Kubernetes cluster", "read timeout"),
    ]
    assert store_texts(store, key, steps) == 4
    return key
