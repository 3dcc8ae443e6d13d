"""If retention removes spans of a trace and late ones arrive, its trajectory stays complete."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.faults.test_unreadable_trace import extraction, send, serving
from tests.support.otlp_requests import message_of, wire_span
from tests.support.stored import read_stored

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import StartSpanloom

TRACE, OTHER = "ab" * 16, "cd" * 16
DAYS_AGO = 3
RUN_DAYS_AGO = f"""
import time
now = time.time_ns
time.time_ns = lambda: now() - {DAYS_AGO} * 86_400 * 10**9  # before the spool takes it as its clock
from spanloom.__main__ import main
main()
"""


@pytest.mark.nightly
def test_a_late_span_does_not_cut_a_trajectory_down_to_what_retention_left(
    start_spanloom: StartSpanloom, tmp_path: Path
) -> None:
    data = tmp_path / "data"
    with serving(start_spanloom, data, RUN_DAYS_AGO) as addresses:
        spans = [wire_span(TRACE, n, 0 if n == 1 else 1) for n in range(1, 6)]
        send(addresses, message_of(spans).SerializeToString())
        assert extraction(addresses["api"], TRACE, "settled")["span_count"] == 5
    with serving(start_spanloom, data, retention_days=1):
        pass
    assert not read_stored(data)["copies"], "retention was applied"
    with serving(start_spanloom, data, retention_days=1) as addresses:
        late = [wire_span(TRACE, 6, 1), wire_span(OTHER, 1)]
        send(addresses, message_of(late).SerializeToString())
        extraction(addresses["api"], OTHER, "settled")
        kept = extraction(addresses["api"], TRACE, "settled")
        assert (kept["span_count"], kept["version"]) == (5, 1)
    assert set(read_stored(data)["copies"]) == {f"{TRACE}/{6:016x}", f"{OTHER}/{1:016x}"}
