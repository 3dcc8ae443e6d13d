"""The checks of ``spanloom doctor`` that need the running process: ``GET /v1/doctor``."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Protocol

from spanloom.doctor.check import examine
from spanloom.doctor.checks import CHECKS
from spanloom.doctor.facts import Facts, Unknown
from spanloom.doctor.gather.environment import look_at_software
from spanloom.doctor.gather.network import look_at_certificate, look_at_exposure, look_at_ports
from spanloom.doctor.gather.store import keys_of, look_at_store
from spanloom.process.descriptors import look_at_descriptors

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from spanloom.config.settings import Settings
    from spanloom.core.model.access import Key
    from spanloom.core.model.diagnosis import Finding

_FILES = Unknown("files are examined only by `spanloom doctor`")
_SENDERS = Unknown("agents are started elsewhere")


class WatchedProcess(Protocol):
    """A process whose supervisor reports its state."""

    def unready(self) -> Sequence[str]:
        """Return the reasons why the process is not ready."""

    def troubles(self) -> Sequence[str]:
        """Return the current degradations of components."""

    def ports(self) -> Mapping[str, int]:
        """Return the port of each listening component, keyed by its name."""


class SelfExamination:
    """Runs the checks on this process; may block on the store."""

    def __init__(
        self,
        settings: Settings,
        process: WatchedProcess,
        keys: Callable[[], Sequence[Key]],
    ) -> None:
        """Check the options, the state of ``process`` and the ``keys``.

        Keys are read over the connection that is already open, because closing a second connection
        in the same process would drop the locks of the first
        (https://sqlite.org/howtocorrupt.html, 2.2).
        """
        self._settings = settings
        self._process = process
        self._keys = keys

    def __call__(self) -> Sequence[Finding]:
        """Return a finding for each check; checks of files are skipped."""
        settings = self._settings
        facts = Facts(
            now_ns=time.time_ns(),
            software=look_at_software(),
            directory=_FILES,
            disk=_FILES,
            spool=_FILES,
            files=_FILES,
            service=_FILES,
            failures=self._process.unready(),
            troubles=self._process.troubles(),
            exposure=look_at_exposure(settings),
            ports=look_at_ports(settings, self._process.ports()),
            certificate=look_at_certificate(settings),
            exporter=_SENDERS,
            descriptors=look_at_descriptors(),
            keys=keys_of(self._keys),
            store=look_at_store(settings, _FILES),
        )
        return examine(CHECKS, facts)
