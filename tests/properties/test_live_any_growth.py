"""A live run is rebuilt a number of times that is logarithmic in its size and age."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st
from tests.support.extracting import T0_NS, key_of

from spanloom.core.model.trajectory import Status
from spanloom.extractor.readiness import GROWN_BY, NS, PendingTrace, Timing, next_status

TIMING = Timing(no_root_quiet_s=math.inf)
STEP = math.log(1 + 1 / GROWN_BY)
ARRIVALS = st.lists(
    st.tuples(
        st.floats(0, 1) | st.floats(0, 100) | st.floats(0, 100_000),
        st.integers(0, 3) | st.integers(0, 10_000),
    ),
    max_size=300,
)
"""Pairs of seconds to wait, and the number of spans that then arrive."""


@given(ARRIVALS)
def test_builds_of_a_live_run_follow_the_logarithms_of_its_size_and_age(
    arrivals: list[tuple[float, int]],
) -> None:
    trace = PendingTrace(key_of(), set(), T0_NS, T0_NS, has_root=False, span_count=1)
    now_ns, builds = T0_NS, 0
    for wait_s, count in arrivals:
        now_ns += int(wait_s * NS)
        trace.span_count += count
        if next_status(trace, now_ns, TIMING) is Status.LIVE:
            builds += 1
            trace.live_builds, trace.built_ns = builds, now_ns
            trace.built_spans = trace.span_count
    age_s = max((now_ns - T0_NS) / NS, TIMING.growing_first_s)
    most = 1 + (math.log(trace.span_count) + math.log(age_s / TIMING.growing_first_s)) / STEP
    assert builds <= most + 1e-6
