"""The contract of full-text search, in every store."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.support.otlp_requests import START_NS
from tests.support.texts import conversation, found, model, said, step, store_texts, text_record

from spanloom.core.errors import InvalidQueryError
from spanloom.core.model.access import Reach
from spanloom.core.model.trajectory import DuplicateOf
from spanloom.storage.texts import index

if TYPE_CHECKING:
    from spanloom.core.model.span import TraceKey
    from spanloom.core.ports.store import Store
    from spanloom.storage.store import ClickHouseStore


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


def test_words_phrases_ids_and_prefixes_are_found(store: Store, key: TraceKey) -> None:
    steps = [
        step(1, '{"order_id": "ORD-1234", "reason": "refund"}'),
        step(2, "", '{"note": "1234 ord: The refund has failed.\\nAgain"}'),
        step(3, "", "退款失败 on the Kubernetes cluster", "read timeout"),
    ]
    assert store_texts(store, key, steps) == 4
    assert {query: found(store, key.project, query) for query in PLACES} == PLACES


@pytest.mark.nightly
@pytest.mark.parametrize("slice_bytes", [11, 1 << 20])
def test_a_long_run_is_indexed_in_slices_apart_from_its_twin(
    store: Store, key: TraceKey, monkeypatch: pytest.MonkeyPatch, slice_bytes: int
) -> None:
    monkeypatch.setattr(index, "MAX_SPANS", 0)
    monkeypatch.setattr(index, "SLICE_BYTES", slice_bytes)
    twin = key._replace(project=f"{key.project}-twin")
    store_texts(store, key, [step(1, "mine 退款"), step(2, "", "and more")])
    assert store_texts(store, twin, [step(1, "theirs"), step(2, "theirs too")]) == 2
    assert found(store, key.project, "退款") == [("02", "input")]
    assert found(store, key.project, "more") == [("03", "output")]
    assert found(store, key.project, "theirs") == []
    assert found(store, twin.project, "theirs") == [("02", "input"), ("03", "input")]
    assert found(store, twin.project, "mine") == []


PLACES = {
    "refund": [("02", "input"), ("03", "output")],
    "REFUND failed": [("03", "output")],
    '"refund failed"': [],
    '"refund has failed"': [("03", "output")],
    "ORD-1234": [("02", "input")],
    "1234": [("02", "input"), ("03", "output")],
    "kubern*": [("04", "output")],
    "nothing*": [],
    '"kubernetes clus*"': [("04", "output")],
    '"clus* kubernetes"': [],
    "退款失败": [("04", "output")],
    "失败退款": [],
    '"款失"': [("04", "output")],
    "timeout": [("04", "error")],
    "order_id": [("02", "input")],
    "again": [("03", "output")],
}


def test_a_text_that_a_late_span_replaced_is_not_found(store: Store, key: TraceKey) -> None:
    first, last = step(1, "one"), step(3, "three")
    store_texts(store, key, [first, step(2, "before"), last])
    assert store_texts(store, key, [first, step(2, "after"), last]) == 1
    assert found(store, key.project, "before") == []
    assert found(store, key.project, "after") == [("03", "input")]
    assert found(store, key.project, "one") == [("02", "input")]


def test_a_message_is_found_where_an_earlier_span_that_came_late_had_it(
    store: Store, key: TraceKey
) -> None:
    later = model(4, conversation("the question"), "an answer")
    store_texts(store, key, [later])
    assert found(store, key.project, "question") == [("05", "input")]
    store_texts(store, key, [model(2, conversation("the question"), "hm"), later])
    assert found(store, key.project, "question") == [("03", "input")]


def test_before_the_new_version_is_indexed_the_old_text_is_not_found(
    store: Store, key: TraceKey
) -> None:
    store_texts(store, key, [step(1, "before")])
    store.trajectories.write([text_record(store, key, [step(1, "after")])])
    assert found(store, key.project, "before") == found(store, key.project, "after") == []


def test_a_run_that_moved_is_found_at_its_new_start(store: Store, key: TraceKey) -> None:
    store_texts(store, key, [step(1, "said")])
    assert store_texts(store, key, [step(1, "said")], START_NS - 5) == 1
    [hit] = store.texts.search(Reach.only(key.project), said("said"), 10)
    assert hit.start_ns == START_NS - 5
    assert found(store, key.project, "said", start_from_ns=START_NS) == []
    assert found(store, key.project, "said", start_before_ns=START_NS) == [("02", "input")]


def test_a_writer_that_was_overtaken_is_not_found(store: Store, key: TraceKey) -> None:
    old = text_record(store, key, [step(1, "before")], START_NS - 9)
    store_texts(store, key, [step(1, "after")])
    store.trajectories.write([old])
    store.text_index.index_texts([key])
    assert found(store, key.project, "before") == []
    assert found(store, key.project, "after") == [("02", "input")]


def test_a_run_that_only_repeats_another_is_left_out(store: Store, key: TraceKey) -> None:
    record = text_record(store, key, [step(1, "said")])
    record.trajectory.duplicate_of = DuplicateOf("f" * 32, "a" * 16)
    store.trajectories.write([record])
    store.text_index.index_texts([key])
    assert found(store, key.project, "said") == []


def test_to_index_again_changes_nothing(store: Store, key: TraceKey) -> None:
    assert store_texts(store, key, [step(1, "said", "heard")]) == 2
    assert store.text_index.index_texts([key]) == 0
    assert found(store, key.project, "said") == [("02", "input")]


def test_a_text_that_was_indexed_twice_is_found_once(
    clickhouse_store: ClickHouseStore, key: TraceKey
) -> None:
    """Two indexers of one store may index the same text."""
    store_texts(clickhouse_store, key, [step(1, "said")])
    clickhouse_store.connections.indexer.run(
        "INSERT INTO step_texts SELECT * FROM step_texts WHERE Project = {p:String}", p=key.project
    )
    assert found(clickhouse_store, key.project, "said") == [("02", "input")]


def test_a_prefix_of_very_many_words_is_refused(
    clickhouse_store: ClickHouseStore, key: TraceKey
) -> None:
    store_texts(clickhouse_store, key, [step(1, " ".join(f"zq{n}" for n in range(101)))])
    with pytest.raises(InvalidQueryError, match="more than 100 words begin with 'zq'"):
        found(clickhouse_store, key.project, "zq*")
    assert found(clickhouse_store, key.project, "zq10*") == [("02", "input")]


def test_half_a_surrogate_pair_is_no_obstacle(store: Store, key: TraceKey) -> None:
    assert store_texts(store, key, [step(1, "said \ud83d here")]) == 1
    assert found(store, key.project, "said here") == [("02", "input")]
