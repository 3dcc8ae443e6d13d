"""What every route works with, handed in by ``create_app``."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request

from spanloom.access.administration import KeyAdministration
from spanloom.annotation.services import Annotating
from spanloom.api.feed.feed import Feed
from spanloom.api.http.bounds import BoundedCalls
from spanloom.api.runs.views import RunViews
from spanloom.core.model.finding import Finding
from spanloom.core.ports.reading import ReadingStore
from spanloom.telemetry import Metrics


@dataclass(frozen=True, slots=True)
class Services:
    """The ports of the API."""

    store: ReadingStore
    metrics: Metrics
    ready: Callable[[], Sequence[str]]
    """Gives the reasons for not being ready; empty means ready."""
    troubles: Callable[[], Sequence[str]]
    """Gives what the process cannot do at the moment although it is ready; must not block."""
    calls: BoundedCalls
    """Runs whatever blocks."""
    probes: BoundedCalls
    """Runs the question whether the store answers, which must not wait for other calls."""
    extractor_version: str
    keys: KeyAdministration
    annotating: Annotating
    feed: Feed
    """Who waits for changes."""
    views: RunViews
    """Runs that are looked at."""
    examine: Callable[[], Sequence[Finding]]
    """Returns what is wrong with this process, and what is not."""
    has_search: bool = True
    """Whether there is an index of texts."""
    sql_port: int | None = None
    """Where this process answers SQL; ``None`` without."""


def _services(request: Request) -> Services:
    services: Services = request.app.state.services
    return services


Using = Annotated[Services, Depends(_services)]
