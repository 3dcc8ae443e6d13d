"""All checks, in the order in which they are shown; one file per subject."""

from collections.abc import Callable

from spanloom.doctor.check import Check, Verdict
from spanloom.doctor.checks import directory, keys, process, sending, software, spool, store

_JUDGES: tuple[Callable[..., Verdict], ...] = (
    software.spanloom,
    software.packages,
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
    sending.exporter,
    keys.keys,
    keys.expiring_keys,
    keys.unused_keys,
    spool.spool,
    spool.dead_letters,
    spool.damaged_spool,
    spool.clock,
    store.store,
    store.schema,
    store.store_clock,
    store.detached_parts,
    store.mutations,
    store.deletions,
    store.quarantine,
)
"""Another check is a function in one of these files, its name here, and its test."""
CHECKS = tuple(map(Check.of, _JUDGES))
