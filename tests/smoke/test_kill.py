"""The main job end to end: spans are sent, the service is killed, and each span is stored once.

``tests/faults`` has more kills; ``tests/golden`` has the pages and captured runs of a service.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.kills import survive_kills

if TYPE_CHECKING:
    import pytest
    from tests.conftest import StartSpanloom


def test_acknowledged_spans_survive_kills_exactly_once(
    start_spanloom: StartSpanloom, capsys: pytest.CaptureFixture[str]
) -> None:
    survive_kills(start_spanloom, capsys, rounds=2)
