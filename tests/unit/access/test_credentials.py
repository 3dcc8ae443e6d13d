"""Headers in which a request may carry its key, refusal of keys in the URL, the form of keys."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanloom.access.keys import digest_of, has_key, key_id_of, make_key, read_key
from spanloom.core.errors import UnauthenticatedError

KEY = make_key().text


def basic(user: str, password: str) -> str:
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


@pytest.mark.parametrize(
    "headers",
    [
        [("Authorization", f"Bearer {KEY}")],
        [("authorization", f"bearer  {KEY} ")],
        [("X-API-Key", KEY)],
        [("authorization", basic("pk-anything", KEY))],
        [("authorization", basic("", KEY))],
        [("x-api-key", KEY), ("authorization", f"Bearer {KEY}"), ("host", "h")],
    ],
)
def test_every_place_gives_the_key(headers: list[tuple[str, str]]) -> None:
    assert read_key(headers) == KEY


def test_without_credentials_there_is_no_key() -> None:
    assert read_key([("host", "h"), ("cookie", KEY)], "limit=3") is None


def test_several_different_keys_are_refused() -> None:
    with pytest.raises(UnauthenticatedError, match="several"):
        read_key([("x-api-key", KEY), ("authorization", f"Bearer {make_key().text}")])


@pytest.mark.parametrize(
    "query",
    [f"api_key={KEY}", f"a=b&x={KEY.replace('_', '%5F')}", KEY],
    ids=["named", "escaped", "bare"],  # each pytest worker makes another key
)
def test_a_key_in_the_url_is_refused_whatever_the_headers_say(query: str) -> None:
    with pytest.raises(UnauthenticatedError, match="URL") as refused:
        read_key([("authorization", f"Bearer {KEY}")], query)
    assert KEY not in str(refused.value)


@given(st.text(), st.text())
def test_any_header_gives_a_text_or_a_refusal(authorization: str, other: str) -> None:
    try:
        found = read_key([("authorization", authorization), ("x-api-key", other)])
    except UnauthenticatedError:
        return
    assert found is not None
    assert key_id_of(found) is None


def test_a_key_is_32_random_bytes_behind_a_public_id() -> None:
    made = make_key()
    assert key_id_of(made.text) == made.id
    assert len(base64.urlsafe_b64decode(made.text[16:] + "=")) == 32
    assert make_key().text != made.text
    assert made.text not in digest_of(made.text)
    assert has_key(made.text)
