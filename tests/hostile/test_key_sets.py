"""Senders choose the keys of attributes; the memory that is retained for them is bounded."""

from __future__ import annotations

import gc
import tracemalloc

import pytest
from tests.support.spans import KEY, make_span

from spanloom.core.extract import extract

SPANS = 700
KEYS = 200
MAX_KEPT_BYTES = 48 * 2**20


@pytest.mark.nightly
def test_a_new_set_of_long_keys_on_every_span() -> None:
    gc.collect()
    tracemalloc.start()
    try:
        for n in range(SPANS):
            keys = [f"llm.input_messages.0.k{n}.{k}.{'x' * 300}" for k in range(KEYS)]
            attributes = {"openinference.span.kind": "LLM", **dict.fromkeys(keys, "a")}
            extract(KEY, [make_span(1, 0, attributes)])
        del keys, attributes
        gc.collect()
        kept = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert kept <= MAX_KEPT_BYTES
