"""``Writes`` counts the ended writes of this process, and has no count while one is under way."""

from __future__ import annotations

import pytest

from spanloom.storage.engine.remembered import Writes


def test_while_one_is_under_way_nothing_can_be_told() -> None:
    writes = Writes()
    assert writes.ended == 0
    with writes:
        assert writes.ended is None
        with writes:
            pass
        assert writes.ended is None
    assert writes.ended == 2


def test_one_that_fails_has_ended_too() -> None:
    writes = Writes()
    with pytest.raises(ValueError, match="half of it"), writes:
        raise ValueError("half of it is stored")
    assert writes.ended == 1
