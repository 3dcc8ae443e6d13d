"""The access control that the collector and the API share."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from spanloom.access.administration import KeyAdministration
    from spanloom.access.authenticate import Authenticator


class Access(NamedTuple):
    """The authenticator and the administration of its keys."""

    authenticator: Authenticator
    keys: KeyAdministration
