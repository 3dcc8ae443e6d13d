"""The dependencies that all components of a process share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spanloom.access.authenticate import Access
    from spanloom.config.settings import Settings
    from spanloom.metrics import Metrics
    from spanloom.outage import Outage
    from spanloom.process.readiness import Readiness
    from spanloom.process.roles import Role
    from spanloom.process.supervisor import Supervisor
    from spanloom.process.tls import TlsFiles


@dataclass(frozen=True, slots=True)
class Shared:
    """Dependencies shared by the components of a process."""

    settings: Settings
    roles: Role
    metrics: Metrics
    access: Access
    tls: TlsFiles | None
    outage: Outage
    readiness: Readiness
    supervisor: Supervisor
