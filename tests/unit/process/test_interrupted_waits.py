"""A signal ends a wait for it, whichever line of the wait it interrupts."""

from __future__ import annotations

import pytest
from tests.support import programs

pytestmark = pytest.mark.service

MOMENTS = 40
"""More lines of code than a wait executes before it sleeps."""
INTERRUPTED = f"""
import signal, sys
from spanloom.cli.processes import Interruption
from spanloom.process import supervisor

supervisor.WATCH_S = 0.01

def trace(*_):
    global left
    left -= 1
    if left == 0:
        signal.raise_signal(signal.SIGTERM)
    return trace

for moment in range(1, {MOMENTS}):
    left, interruption = moment, Interruption()
    sys.settrace(trace)
    supervisor.Supervisor(1).wait(interruption)
    sys.settrace(None)
    print(moment)
"""


def test_a_signal_ends_the_wait_whenever_it_comes() -> None:
    """A handler that took the wait's lock would block, and the process would have to be killed."""
    ended = programs.run("-c", INTERRUPTED)
    assert ended.stdout.split() == [str(moment) for moment in range(1, MOMENTS)], ended.stderr
