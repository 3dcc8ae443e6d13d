"""Extractors over one ClickHouse server share the traces, and replace one that is lost."""

from __future__ import annotations

import signal
import time
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from tests.support.ground_truth import all_captures
from tests.support.sent_captures import MANY
from tests.support.shared_work import held, metric, start_sharing, until
from tests.support.started_server import started_server

from spanloom.core.sharing import SLICES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from tests.conftest import StartSpanloom, Tell
    from tests.support.ground_truth import Capture
    from tests.support.started_server import StartedServer

EVERY = 16
"""One of this many captures is sent."""
MOST_READ = 1.3
TAKEN_OVER_S = 15.0
STOPPED_S = 5.0


@pytest.fixture
def server(tmp_path: Path, made_server: Path) -> Iterator[StartedServer]:
    with started_server(tmp_path / "server", made=made_server) as server:
        yield server


def spans_of(captures: Sequence[Capture]) -> Counter[str]:
    found: Counter[str] = Counter()
    for capture in captures:
        found.update(capture.spans_by_trace)
    return found


@pytest.mark.slow  # test_disturbed_roles.py tests two by default
@pytest.mark.parametrize("extracts", [2, 4])
def test_in_peace_few_spans_are_read_more_than_once(
    start_spanloom: StartSpanloom, server: StartedServer, tmp_path: Path, tell: Tell, extracts: int
) -> None:
    sharing = start_sharing(start_spanloom, server.url(), tmp_path, extracts, env=MANY)
    until(lambda: all(held(e) == SLICES / extracts for e in sharing.extracts), "the shares")
    # On a busy machine an extractor may query keys before it is connected, and log this.
    begun = [part.complaints for part in sharing.extracts]
    captures = all_captures()[::EVERY]
    count = sharing.send(captures, pause_s=0.2)
    sharing.await_shown(spans_of(captures))
    read = [metric(part, "spanloom_spans_extracted_total") for part in sharing.extracts]
    tell(f"{extracts} extractors read {sum(read) / count:.2f} times {count} spans: {read}")
    assert count <= sum(read) <= MOST_READ * count
    assert [part.complaints for part in sharing.extracts] == begun


@pytest.mark.nightly
@pytest.mark.parametrize(
    "signals", [(signal.SIGSTOP, signal.SIGKILL), (signal.SIGTERM,)], ids=["lost", "stopped"]
)
def test_what_an_extractor_had_is_taken_over(
    start_spanloom: StartSpanloom,
    server: StartedServer,
    tmp_path: Path,
    tell: Tell,
    signals: Sequence[signal.Signals],
) -> None:
    """If one extractor is frozen, killed or stopped, the other gets all slices and builds all."""
    sharing = start_sharing(start_spanloom, server.url(), tmp_path, 2, env=MANY)
    gone, other = sharing.extracts
    for turn, number in enumerate(signals):
        until(lambda: held(gone) == held(other) == SLICES / 2, "the shares")
        began = time.monotonic()
        gone.process.send_signal(number)
        captures = all_captures()[2 * turn :: EVERY * 4]
        sharing.send(captures)
        until(lambda: held(other) == SLICES, "taken over")
        took_s = time.monotonic() - began
        tell(f"after {number.name} the slices were taken over within {took_s:.1f} s")
        assert took_s < (STOPPED_S if number is signal.SIGTERM else TAKEN_OVER_S)
        sharing.await_shown(spans_of(captures))
        if number is signal.SIGSTOP:
            gone.process.send_signal(signal.SIGCONT)
            until(lambda: held(gone) == held(other) == SLICES / 2, "shared again")
            again = all_captures()[2 * turn + 1 :: EVERY * 4]
            sharing.send(again)
            sharing.await_shown(spans_of(again))
