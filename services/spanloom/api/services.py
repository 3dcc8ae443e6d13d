"""The dependencies of all routes, set up by ``create_app`` and injected as ``Using``."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, HTTPException, Request

from spanloom.access.keys import KeyAdministration
from spanloom.access.limits import LimitsOf
from spanloom.alerts.service import Alerts
from spanloom.annotation.services import Annotating
from spanloom.api.feed.feed import Feed
from spanloom.api.http.bounds import BoundedCalls
from spanloom.api.query import NO_SEARCH
from spanloom.api.run_views import RunViews
from spanloom.core.model.diagnosis import Finding
from spanloom.core.model.upkeep import RetentionPlan
from spanloom.core.ports.importing import Importer
from spanloom.core.ports.reading import ReadingStore
from spanloom.core.query.where.tree import Condition, searches_words
from spanloom.datasets.service import Datasets
from spanloom.evaluators.service import Evaluators
from spanloom.experiments.service import Experiments
from spanloom.metrics import Metrics
from spanloom.online.service import OnlineRules
from spanloom.saved_views.service import SavedViews

_NO_WORDS = f'Words as in `output: "rate limit"` are not available: {NO_SEARCH}'


@dataclass(frozen=True, slots=True, kw_only=True)
class ServingProcess:
    """The parts of the serving process that the API uses; by default it has no components."""

    ready: Callable[[], Sequence[str]] = tuple
    """Returns the reasons for not being ready; empty means ready. May block."""
    troubles: Callable[[], Sequence[str]] = tuple
    """Returns current degradations of a ready process; must not block."""
    examine: Callable[[], Sequence[Finding]] = tuple
    """Returns the findings of this process's self-check; may block."""
    retention: Callable[[], RetentionPlan | None] = lambda: None
    """Returns the retention periods; ``None`` if the keeper runs in another process."""
    limits_of: LimitsOf | None = None
    """Returns the limits of a project; ``None`` in a process without a collector."""
    ports: Callable[[], Mapping[str, int]] = dict
    """Returns the ports on which this process listens, by the names of its components."""
    sql_port: int | None = None
    """SQL port of this process; ``None`` if it has none."""
    otlp_http: str = ""
    """The URL at which this process receives spans; empty if it does not."""
    importer: Importer | None = None
    """Stores imported files; ``None`` in a process without a collector."""
    extractor_version: str = ""
    """Trajectories of another version are outdated."""
    has_trajectories: bool = True
    """Whether all routes are served, or only those of ``admin.service``."""
    has_search: bool = True
    """Whether there is a full-text index."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """The dependencies of the routes."""

    process: ServingProcess
    store: ReadingStore
    metrics: Metrics
    calls: BoundedCalls
    """Runs blocking calls in threads."""
    probes: BoundedCalls
    """Runs the readiness check, which must not wait for other calls."""
    imports: BoundedCalls
    """Runs the calls of imports, which may take minutes."""
    keys: KeyAdministration
    annotating: Annotating
    feed: Feed
    """Delivers announcements to the clients of the change feed."""
    views: RunViews
    """Reads runs for the page, and caches the runs that were read last."""
    saved_views: SavedViews
    """Saved views of projects."""
    datasets: Datasets
    """Datasets of projects."""
    evaluators: Evaluators
    """Stored evaluators of projects."""
    experiments: Experiments
    """Experiments of projects."""
    alerts: Alerts
    """Alerts of projects."""
    online_rules: OnlineRules
    """Online rules of projects."""


async def _services(request: Request) -> Services:  # FastAPI calls a plain function in a thread
    services: Services = request.app.state.services
    return services


Using = Annotated[Services, Depends(_services)]


def refuse_words(using: Services, *asked: "Condition | None") -> None:
    """Raise 501 if a condition searches for words and there is no full-text index."""
    if not using.process.has_search and any(map(searches_words, asked)):
        raise HTTPException(501, _NO_WORDS)
