"""One form of JSON only: parts written on their own are what they would be in their place."""

from __future__ import annotations

from types import MappingProxyType

from hypothesis import given
from hypothesis import strategies as st

from spanloom.core.formats.json_bytes import dump, dump_sorted, sorted_keys

ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=()))


@given(st.dictionaries(ANY_TEXT, ANY_TEXT))
def test_texts_are_written_in_the_order_of_their_keys(texts: dict[str, str]) -> None:
    assert dump({"part": dump_sorted(texts)}) == dump({"part": sorted_keys(texts)})
    assert dump(dump_sorted(MappingProxyType(texts))) == dump(sorted_keys(texts))


def test_keys_that_utf8_cannot_hold_keep_their_place() -> None:
    texts = {"z": "half \ud83d pair", "\ud83d": "2", "a": "1"}
    written = '{"a":"1","z":"half \ufffd pair","\ufffd":"2"}'.encode()
    assert dump(dump_sorted(texts)) == written
