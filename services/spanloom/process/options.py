"""Converts the options to arguments of the components: access, limits, retention, certificates."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from spanloom.access.authenticate import Access, Authenticator
from spanloom.access.keys import KeyAdministration
from spanloom.access.limits import LimitsByProject, ProjectLimits
from spanloom.collector.intake.limits import Limits
from spanloom.config.loading import OptionError
from spanloom.config.process import is_loopback
from spanloom.core.model.upkeep import Terms
from spanloom.extractor.batch import InProcess
from spanloom.extractor.prices_file import read_prices
from spanloom.extractor.readiness import Timing
from spanloom.extractor.result import BuildOptions
from spanloom.extractor.workers.messages import Begin
from spanloom.extractor.workers.pipeline import Pipeline
from spanloom.extractor.workers.pool import Pool
from spanloom.process.tls import TlsFiles
from spanloom.sql.settings import SqlLimits

if TYPE_CHECKING:
    from spanloom.access.authenticate import Keyring
    from spanloom.config.settings import Settings
    from spanloom.core.ports.upkeep import KeyStore
    from spanloom.extractor.batch import Builder
    from spanloom.extractor.time_limit import Stopper
    from spanloom.metrics import Metrics
    from spanloom.storage.store import ClickHouseStore


def access_of(settings: Settings, keys: KeyStore, keyring: Keyring) -> Access:
    """Return the access control.

    Raises ``OptionError`` if the address is reachable from other machines but the embedded store
    has no keys. With a ClickHouse server, where keys may be created later, no request is accepted
    until there are keys.
    """
    is_open = settings.insecure or is_loopback(settings.host)
    if settings.is_embedded and not is_open and not keyring.has_keys:
        raise OptionError(
            f"--host {settings.host} is reachable from other machines and there are no keys: "
            "make one with `spanloom keys create`; --insecure lets anyone read and write"
        )
    return Access(Authenticator(keyring, open_without_keys=is_open), KeyAdministration(keys))


def tls_of(settings: Settings) -> TlsFiles | None:
    """Return the certificate of all ports, or ``None`` without TLS.

    Raises ``StartupError`` if its files cannot be used.
    """
    if settings.tls_cert is None or settings.tls_key is None:
        return None
    return TlsFiles(settings.tls_cert, settings.tls_key, settings.tls_client_ca)


def project_limits_of(settings: Settings) -> LimitsByProject:
    """Return the limits of each project.

    Raises ``StartupError`` for an invalid limits file.
    """
    default = ProjectLimits(
        settings.project_spans_per_s,
        float(settings.project_bytes_per_s),
        int(settings.project_stored_bytes),
    )
    return LimitsByProject(default, settings.limits_file)


def terms_of(settings: Settings) -> Terms:
    """Return the default retention periods."""
    days, spans = settings.retention_days, settings.span_retention_days
    trajectories = settings.trajectory_retention_days
    return Terms(days if spans is None else spans, days if trajectories is None else trajectories)


def builder_of(
    settings: Settings, store: ClickHouseStore, metrics: Metrics, stopper: Stopper | None
) -> Builder:
    """Return the object that builds trajectories: in worker processes, or in this process.

    ``stopper`` limits the CPU time of builds in this process; ``None`` sets no limit.
    Raises ``StartupError`` for an invalid prices file.
    """
    options = BuildOptions(settings.max_trace_spans, read_prices(settings.prices_file))
    workers = settings.extract_workers
    if workers is None:
        workers = default_workers(_cores())
    if not workers:
        return InProcess(store, options, stopper)
    pool = Pool(workers, Begin(store.codec, options), metrics)
    return Pipeline(store, store, pool, options, stopper=stopper)


def timing_of(settings: Settings) -> Timing:
    """Return how long the extractor waits before it builds a trace, and how often it polls."""
    return Timing(
        root_quiet_s=settings.root_quiet_s,
        no_root_quiet_s=settings.no_root_quiet_s,
        growing_first_s=settings.growing_first_s,
        growing_max_s=settings.growing_max_s,
        poll_s=settings.poll_s,
    )


def sql_limits_of(settings: Settings) -> SqlLimits:
    """Return the limits of one statement on the SQL port; a statement may use half of the cores."""
    return SqlLimits(
        time_s=settings.sql_query_s,
        memory_bytes=int(settings.sql_query_memory),
        threads=max(1, _cores() // 2),
    )


def default_workers(cores: int) -> int:
    """Return the default number of worker processes: none on one core.

    The process that has the store open does a quarter of the work itself, so two workers are
    worthwhile on two cores.
    """
    return max(cores - 1, 2) if cores > 1 else 0


def _cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):  # on Linux
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def limits_of(settings: Settings) -> Limits:
    """Return the limits of one request."""
    return Limits(
        max_request_bytes=settings.max_request_bytes,
        max_in_flight_bytes=settings.max_in_flight_bytes,
    )
