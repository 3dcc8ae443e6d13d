"""The outcomes of two halves of a batch are joined without losing a field of either."""

from __future__ import annotations

from dataclasses import fields

import pytest
from tests.support.spans import KEY

from spanloom.core.model.span import TraceKey
from spanloom.extractor.result import BatchResult, Scoring

OTHER = TraceKey("default", "cd" * 16)


def outcome(name: str, key: TraceKey) -> BatchResult:
    """Return an outcome in which one field has an entry, of its type."""
    found = BatchResult()
    entry = {
        dict: {key: 1},
        set: {key},
        list: [key],
        int: 1,
        Scoring: Scoring({key: ()}, {key: {}}, {key: ()}),
    }[type(getattr(found, name))]
    setattr(found, name, entry)
    return found


@pytest.mark.parametrize("name", [one.name for one in fields(BatchResult)])
def test_no_field_is_lost(name: str) -> None:
    joined = outcome(name, KEY)
    joined.add(outcome(name, OTHER))
    found = getattr(joined, name)
    if isinstance(found, Scoring):
        both = {KEY, OTHER}
        assert [set(found.scores), set(found.responses), set(found.named)] == [both, both, both]
    elif isinstance(found, int):
        assert found == 2
    else:
        assert set(found) == {KEY, OTHER}
