"""An import sends no request with more annotated steps than the service accepts at once."""

from __future__ import annotations

from itertools import chain

from spanloom.annotation.writing import MOST_ROWS
from spanloom.cli.annotations import AT_ONCE, requests_of


def test_no_request_has_more_steps_than_the_service_takes() -> None:
    sizes = [10, 4_000, 4_000, 9_000, *([100] * 250), 0]
    entries = [{"n": n, "steps": [{}] * size} for n, size in enumerate(sizes)]
    parts = list(requests_of(iter(entries)))
    assert list(chain(*parts)) == entries
    assert all(len(part) <= AT_ONCE for part in parts)
    assert all(sum(len(e["steps"]) for e in part) <= MOST_ROWS for part in parts)
    assert len(parts) < 15
