"""All checks, in the order of the report; one file per subject.

In: facts, as parameters of each function. Out: a ``Verdict``. Start with the list below. To add a
check: a function in one of these files, its name in the list below, and its test.
"""

from collections.abc import Callable

from spanloom.doctor.check import Check, Verdict
from spanloom.doctor.checks import directory, environment, process, store

_JUDGES: tuple[Callable[..., Verdict], ...] = (
    environment.spanloom,
    environment.packages,
    directory.directory,
    directory.owner,
    directory.disk,
    directory.sizes,
    directory.files,
    process.service,
    process.parts,
    process.descriptors,
    process.ports,
    process.certificate,
    environment.exporter,
    store.keys,
    store.expiring_keys,
    store.unused_keys,
    directory.spool,
    directory.dead_letters,
    directory.damaged_spool,
    directory.clock,
    store.store,
    store.hosts,
    store.schema,
    store.store_clock,
    store.workers,
    store.detached_parts,
    store.mutations,
    store.deletions,
    store.quarantine,
    store.prices,
)
"""The functions of all checks, in the order of the report."""
CHECKS = tuple(map(Check.of, _JUDGES))
SENDING = (Check.of(environment.exporter),)
"""The checks of a shell that only sends spans."""
