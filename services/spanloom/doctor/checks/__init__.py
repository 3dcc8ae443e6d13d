"""All checks, in the order of the report; one file per subject.

In: facts, as parameters of each function. Out: a ``Verdict``. To add a check: a function in one of
these files, its name in the list below, and its test.
"""

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
"""In the order of the report."""
CHECKS = tuple(map(Check.of, _JUDGES))
