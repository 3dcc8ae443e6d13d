"""Greets services: one log line when the first spans of each have been read since the start."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.telemetry import get_logger

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_KNOWN = 1_000
"""Services that are greeted: a sender with a new name for each span does not fill the log."""
log = get_logger("extractor")


class Newcomers:
    """Remembers which services have sent spans."""

    def __init__(self) -> None:
        """Know none."""
        self._known: set[tuple[str, str]] = set()

    def meet(self, services: Iterable[tuple[str, str]]) -> None:
        """Log those that are new, each a project and a service's name."""
        for project, service in sorted(set(services) - self._known):
            if len(self._known) == MAX_KNOWN:
                return
            self._known.add((project, service))
            log.info("the first spans of a service", service=service, project=project)
