"""What the doors and the API get of this room, in one piece."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from spanloom.access.administration import KeyAdministration
    from spanloom.access.authenticate import Authenticator


class Access(NamedTuple):
    """Who may come in, and who may change that."""

    authenticator: Authenticator
    keys: KeyAdministration
