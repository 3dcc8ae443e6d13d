"""Builds the components that work on stored traces: extraction, search, judging, alerts."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from spanloom.alerts.deliverer import AlertDeliverer
from spanloom.alerts.sending import HttpSender
from spanloom.alerts.service import FOLLOWER
from spanloom.alerts.watcher import AlertWatcher
from spanloom.core.sharing import hold_all
from spanloom.experiments.runner import ExperimentRunner
from spanloom.extractor.extractor import Extractor
from spanloom.extractor.watch import Watch
from spanloom.following.follower import FeedFollower
from spanloom.following.sharing import JUDGE
from spanloom.indexer import Indexer
from spanloom.online.current import CurrentRules
from spanloom.online.follower import OnlineFollower
from spanloom.online.worker import OnlineWorker
from spanloom.process.addresses import page_url
from spanloom.process.options import builder_of, timing_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spanloom.heartbeat import Heartbeat
    from spanloom.process.shared import Shared
    from spanloom.process.supervisor import Part
    from spanloom.storage.store import ClickHouseStore


def build_extractor(
    shared: Shared, store: ClickHouseStore, heartbeat: Heartbeat | None
) -> Iterator[Part]:
    """Yield the components in start order; each is started before the next is built."""
    settings, metrics, outage = shared.settings, shared.metrics, shared.outage
    yield (watch := Watch())
    yield Extractor(
        store,
        metrics,
        timing_of(settings),
        builder=builder_of(settings, store, metrics, watch),
        outage=outage,
        held=heartbeat.held if heartbeat else hold_all,
    )
    if not settings.no_search:
        held = partial(heartbeat.held, "index") if heartbeat else hold_all
        yield Indexer(store.text_index, metrics, outage=outage, held=held)
    yield from _judging(shared, store, heartbeat)
    yield from _alerting(shared, store, heartbeat)


def _judging(shared: Shared, store: ClickHouseStore, heartbeat: Heartbeat | None) -> Iterator[Part]:
    """Yield the components that queue and judge runs for online rules, and run experiments."""
    metrics, outage = shared.metrics, shared.outage
    held = partial(heartbeat.held, JUDGE) if heartbeat else hold_all
    rules = CurrentRules(store.online_rules)
    yield OnlineFollower(store, rules, metrics, outage=outage, held=held)
    yield OnlineWorker(store, rules, metrics, outage=outage, held=held)
    yield ExperimentRunner(store, outage, held)


def _alerting(
    shared: Shared, store: ClickHouseStore, heartbeat: Heartbeat | None
) -> Iterator[Part]:
    """Yield the components that deliver and evaluate alerts."""
    settings, held = shared.settings, partial(heartbeat.held, JUDGE) if heartbeat else hold_all
    deliverer = AlertDeliverer(
        store,
        partial(HttpSender, allows_private=settings.alert_private),
        shared.metrics,
        base_url=lambda: page_url(settings, shared.supervisor.ports()),
        outage=shared.outage,
        held=held,
    )
    yield deliverer
    yield AlertWatcher(
        store,
        FeedFollower(store.feed, store.followers, FOLLOWER),
        shared.metrics,
        notify=deliverer.notice,
        outage=shared.outage,
        held=held,
    )
