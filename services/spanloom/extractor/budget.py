"""Limits repeated reads of growing runs by processes that share a server.

With the embedded store a growing run is built again as soon as ``readiness.py`` decides so. With a
ClickHouse server every read goes through the network, and all extractors together should read only
a little more than the arriving spans. Therefore the spans read by repeated builds are subtracted
from a budget that grows with arriving spans, and slowly with time. With few runs the budget never
runs out. Under load, live runs are built less often, and a run that continues after it was complete
is built again only after a longer quiet time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.model.trajectory import Status
from spanloom.core.sharing import SLICES
from spanloom.extractor.readiness import NS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.sharing import Slices
    from spanloom.extractor.recording import Due

OF_ARRIVED = 0.1
"""Spans added to the budget for each arriving span."""
EVERY_S = 1.0
"""Spans added per second to the budgets of all extractors together, even if no spans arrive."""
AT_FIRST = 50.0
"""Budget, in spans, of all extractors together after a start."""
QUIET_S = 5.0
"""Seconds without new spans after which a complete run that continued is built in any case."""
MOST = 150.0
"""Upper limit, in spans, of the unused budget of all extractors, and of one extractor's debt."""


class Budget:
    """The number of spans that one extractor may still read for repeated builds."""

    def __init__(self) -> None:
        """Start with an empty budget; the first call of ``affordable`` sets it."""
        self._spans = 0.0
        self._at_ns: int | None = None
        self._arrived = 0

    def affordable(
        self, due: Sequence[Due], held: Slices, arrived: int, now_ns: int
    ) -> Sequence[Due]:
        """Return the traces to build; repeated builds only within the budget, the oldest first.

        ``held`` has the slices of this process; if it is ``None`` (the embedded store), all traces
        are returned. ``arrived`` is the number of spans that arrived since the start. One build may
        read more spans than are left in the budget, in which case later builds wait.
        """
        if not held:
            return due
        self._earn(len(held) / SLICES, arrived, now_ns)
        again = sorted((item for item in due if _is_repeated(item)), key=_waits_since_ns)
        left_out = {item[0].key for item in again if not self._pays(item, now_ns)}
        return [item for item in due if item[0].key not in left_out]

    def _earn(self, share: float, arrived: int, now_ns: int) -> None:
        if self._at_ns is None:
            self._spans = AT_FIRST * share
        else:
            passed_s = (now_ns - self._at_ns) / NS
            earned = OF_ARRIVED * (arrived - self._arrived) + EVERY_S * share * passed_s
            self._spans = min(self._spans + earned, MOST * share)
        self._at_ns, self._arrived = now_ns, arrived

    def _pays(self, item: Due, now_ns: int) -> bool:
        trace, status = item
        is_urgent = status is not Status.LIVE and now_ns - trace.last_ns >= QUIET_S * NS
        if self._spans <= 0 and not is_urgent:
            return False
        self._spans = max(self._spans - trace.span_count, -MOST)
        return True


def _is_repeated(item: Due) -> bool:
    """Return whether a build reads spans again, because the run is live or was complete before."""
    trace, status = item
    return status is Status.LIVE or (trace.is_built and not trace.attempts)


def _waits_since_ns(item: Due) -> int:
    return item[0].built_ns or item[0].first_ns
