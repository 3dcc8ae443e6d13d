"""What is told of the appends of this process."""

from __future__ import annotations

import pytest

from spanloom.storage.spans.appends import Appends


def test_while_one_is_under_way_nothing_can_be_told() -> None:
    appends = Appends()
    assert appends.ended == 0
    with appends:
        assert appends.ended is None
        with appends:
            pass
        assert appends.ended is None
    assert appends.ended == 2


def test_one_that_fails_has_ended_too() -> None:
    appends = Appends()
    with pytest.raises(ValueError, match="half of it"), appends:
        raise ValueError("half of it is stored")
    assert appends.ended == 1
