"""The limit of open files and connections of the process (RLIMIT_NOFILE).

The embedded engine has some hundred files open and needs more for each INSERT and each merge; each
connection of a sender needs one descriptor. If they run out, INSERTs fail and are retried
indefinitely.
"""

from __future__ import annotations

import resource
from contextlib import suppress
from pathlib import Path

from spanloom.core.errors import StartupError
from spanloom.doctor.facts import DescriptorFacts
from spanloom.logs import get_logger

MIN_DESCRIPTORS = 256
"""With fewer, the process refuses to start, because it would acknowledge spans it cannot store."""
ENOUGH_DESCRIPTORS = 1024
"""With fewer, the process warns at the start, because some hundred connections are usual."""
MOST_DESCRIPTORS = 65_536
"""The limit is raised to this at most, because the hard limit may be a thousand million."""


def raise_limit() -> None:
    """Raise the limit as far as allowed and useful.

    Raises ``StartupError`` if fewer than ``MIN_DESCRIPTORS`` are allowed even then.
    """
    target = min(_finite(_hard_limit()), MOST_DESCRIPTORS)
    if look_at_descriptors().limit < target:
        with suppress(OSError, ValueError):  # macOS allows less than it reports
            resource.setrlimit(resource.RLIMIT_NOFILE, (target, _hard_limit()))
    limit = look_at_descriptors().limit
    if limit < MIN_DESCRIPTORS:
        raise StartupError(
            f"only {limit} files may be open at one time and at least {MIN_DESCRIPTORS} are "
            f"needed: raise the limit (`ulimit -n {ENOUGH_DESCRIPTORS}`, LimitNOFILE= of systemd)"
        )
    if limit < ENOUGH_DESCRIPTORS:
        get_logger("process").warning(
            "few files and connections may be open at one time: raise the limit (ulimit -n)",
            limit=limit,
            enough=ENOUGH_DESCRIPTORS,
        )


def look_at_descriptors() -> DescriptorFacts:
    """Return this process's limit, and the number of descriptors in use (0 if unknown)."""
    limit = _finite(resource.getrlimit(resource.RLIMIT_NOFILE)[0])
    try:
        used = sum(1 for _ in Path("/proc/self/fd").iterdir())
    except OSError:
        used = 0
    return DescriptorFacts(limit, used, ENOUGH_DESCRIPTORS)


def _hard_limit() -> int:
    return resource.getrlimit(resource.RLIMIT_NOFILE)[1]


def _finite(limit: int) -> int:
    return MOST_DESCRIPTORS if limit == resource.RLIM_INFINITY else limit
