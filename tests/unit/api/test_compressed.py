"""Answers are compressed if the client accepts it, and their content stays the same."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import pytest
from tests.support.otlp_requests import wire_span
from tests.unit.api.conftest import TRACE

from spanloom.api.app import GZIP_APART_BYTES, SMALL_BYTES
from spanloom.core.model.span import TraceKey

if TYPE_CHECKING:
    from fastapi.testclient import TestClient
    from tests.unit.api.conftest import ShelfStore

KEY = TraceKey("default", TRACE)
PATH = f"/v1/trajectories/{TRACE}"


def get_raw(client: TestClient, path: str, coding: str) -> tuple[str | None, bytes]:
    """Return the content coding of an answer, and its body as sent over the wire."""
    with client.stream("GET", path, headers={"accept-encoding": coding}) as answer:
        assert answer.status_code == 200
        assert "accept-encoding" in answer.headers["vary"].lower()
        return answer.headers.get("content-encoding"), b"".join(answer.iter_raw())


@pytest.mark.parametrize("size", [SMALL_BYTES, GZIP_APART_BYTES, 40 * GZIP_APART_BYTES])
def test_a_document_is_compressed_for_who_asks(
    size: int, client: TestClient, store: ShelfStore
) -> None:
    store.stored_documents[KEY] = document = b'"%s"' % (b"spanloom " * (size // 9 + 1))
    assert get_raw(client, PATH, "identity") == (None, document)
    coding, body = get_raw(client, PATH, "gzip, deflate")
    assert coding == "gzip"
    assert len(body) < len(document) / 4
    assert gzip.decompress(body) == document


def test_what_is_small_is_not_worth_it(client: TestClient, store: ShelfStore) -> None:
    store.stored_documents[KEY] = b"{}"
    answer = client.get(PATH, headers={"accept-encoding": "gzip"})
    assert "content-encoding" not in answer.headers


def test_a_stream_is_compressed_piece_by_piece(client: TestClient, store: ShelfStore) -> None:
    store.stored_documents[KEY] = b"{}"
    store.sent[KEY] = [wire_span(TRACE, n, name="span " * 20) for n in range(1, 50)]
    _, plain = get_raw(client, f"{PATH}/otlp", "identity")
    coding, body = get_raw(client, f"{PATH}/otlp", "gzip")
    assert (coding, gzip.decompress(body)) == ("gzip", plain)
