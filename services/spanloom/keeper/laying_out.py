"""Brings what an older release stored into its present form, piece by piece."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.telemetry import get_logger

if TYPE_CHECKING:
    from collections.abc import Callable
    from threading import Event

    from spanloom.core.ports.upkeep import Upkeep

AT_ONCE_NS = 10**9
"""How long it works before the keeper looks after everything else again."""
TELL_NS = 10 * 10**9
"""How often it says how far it is."""
log = get_logger("keeper")


class LayingOut:
    """Works until nothing is left; readers are answered meanwhile, extractors wait."""

    def __init__(self, upkeep: Upkeep, steady_ns: Callable[[], int]) -> None:
        """Take the store's upkeep, and a clock in ns that only goes forward."""
        self._upkeep = upkeep
        self._steady_ns = steady_ns
        self._is_over = False
        self._told_ns: int | None = None

    def go_on(self, stopping: Event) -> None:
        """Work for a while; return at once when all is done."""
        until_ns = self._steady_ns() + AT_ONCE_NS
        while not self._is_over and not stopping.is_set():
            left = self._upkeep.lay_out()
            self._is_over = not left
            self._tell(left)
            if self._steady_ns() >= until_ns:
                break

    def _tell(self, left: int) -> None:
        now_ns = self._steady_ns()
        if not left and self._told_ns is not None:
            log.info("every run is laid out anew: new ones are built again")
        elif left and (self._told_ns is None or now_ns >= self._told_ns + TELL_NS):
            self._told_ns = now_ns
            log.info("laying out the runs of an older release; new ones wait", left=left)
