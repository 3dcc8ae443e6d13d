"""The facts that this process can gather itself, without querying a running service."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from spanloom.doctor.facts import DirectoryFacts, Facts, ServiceFacts, Unknown
from spanloom.doctor.gather.environment import look_at_software
from spanloom.doctor.gather.exporter import look_at_exporter
from spanloom.doctor.gather.files import look_at_disk, look_at_files, look_at_spool
from spanloom.doctor.gather.network import look_at_certificate, look_at_exposure, look_at_ports
from spanloom.doctor.gather.store import look_at_keys, look_at_store

if TYPE_CHECKING:
    from pathlib import Path

    from spanloom.config.settings import Settings


def local_facts(
    settings: Settings, directory: DirectoryFacts, spool: Path, service: ServiceFacts | None
) -> Facts:
    """Return the facts of a data directory, and of a ClickHouse server if the store is on one.

    ``service`` is the process that uses the directory; facts that only that process has are left
    out. If ``service`` is ``None``, the caller has locked the directory.
    """
    facts = _without(Unknown("there is no data directory that could be used"))
    is_usable = directory.is_empty or directory.format == directory.known_format
    if settings.is_embedded and not is_usable:
        return replace(facts, directory=directory)
    if is_usable:
        facts = replace(
            facts,
            directory=directory,
            disk=look_at_disk(directory.path, settings.min_free_bytes),
            spool=look_at_spool(spool, int(settings.spool_max_bytes)),
            files=look_at_files(directory.path.absolute(), settings.resolved_retention_file),
        )
    facts = replace(facts, keys=look_at_keys(settings))
    if service:
        return _with_service(facts, settings, service)
    idle = Unknown("no process uses the data directory")
    return replace(
        facts,
        service=idle,
        failures=idle,
        descriptors=idle,
        troubles=idle,
        store=look_at_store(settings, facts.spool),
        exposure=look_at_exposure(settings),
        ports=look_at_ports(settings),
        certificate=look_at_certificate(settings),
    )


def facts_of_sender() -> Facts:
    """Return the facts about software and this shell's exporters, with all others unknown."""
    return _without(Unknown("only the destination of exporters is examined"))


def facts_of_service(service: ServiceFacts) -> Facts:
    """Return the facts about a queried service, software and exporters, with all others unknown."""
    return replace(_without(Unknown(f"only {service.url} was asked")), service=service)


def _with_service(facts: Facts, settings: Settings, service: ServiceFacts) -> Facts:
    """Return facts with ``service``; facts that only that process has become unknown."""
    unknown = Unknown("only the running process knows it")
    return replace(
        facts,
        service=service,
        failures=unknown,
        descriptors=unknown,
        troubles=unknown,
        store=unknown if settings.is_embedded else look_at_store(settings, facts.spool),
        exposure=unknown,
        ports=unknown,
        certificate=unknown,
    )


def _without(reason: Unknown) -> Facts:
    return Facts(
        now_ns=time.time_ns(),
        software=look_at_software(),
        directory=reason,
        disk=reason,
        spool=reason,
        files=reason,
        store=reason,
        keys=reason,
        exposure=reason,
        ports=reason,
        certificate=reason,
        exporter=look_at_exporter(os.environ),
        service=reason,
        failures=reason,
        descriptors=reason,
        troubles=reason,
    )
