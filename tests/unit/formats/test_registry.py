"""Formats are found by name."""

from __future__ import annotations

import pytest

from spanloom.core.errors import InvalidQueryError
from spanloom.core.formats.registry import FORMATS, find_format


def test_every_format_is_registered_under_its_own_id() -> None:
    assert {name: known.id for name, known in FORMATS.items()} == {name: name for name in FORMATS}
    assert all("/" in known.media_type and known.renders for known in FORMATS.values())


def test_the_canonical_format_is_the_stored_document() -> None:
    assert find_format("canonical").encode(b'{"id":"x"}', b"") == b'{"id":"x"}'


def test_an_unknown_format_is_refused_with_those_there_are() -> None:
    with pytest.raises(InvalidQueryError, match="'csv' is unknown; known are canonical, coze"):
        find_format("csv")
