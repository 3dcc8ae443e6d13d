"""A process without API keys lets no other machines in."""

from __future__ import annotations

import pytest
from tests.support.memory_keys import MemoryKeys

from spanloom.access.authenticate import Keyring
from spanloom.access.last_known import LastKnown
from spanloom.config.loading import OptionError
from spanloom.config.settings import Settings
from spanloom.process.options import access_of

FOR_OTHERS = "0.0.0.0"  # noqa: S104  # nothing is bound


def test_the_embedded_store_needs_a_key_before_the_start() -> None:
    keys = MemoryKeys()
    with pytest.raises(OptionError, match="no keys"):
        access_of(Settings(host=FOR_OTHERS), keys, Keyring(keys))


def test_over_a_server_nobody_is_let_in_until_there_is_a_key() -> None:
    keys = MemoryKeys()
    keyring = Keyring(keys, known=LastKnown())
    keyring.refresh()
    settings = Settings(host=FOR_OTHERS, store_url="clickhouse://me@nowhere/d")
    access = access_of(settings, keys, keyring)
    assert access.authenticator.obstacle.startswith("there are no keys")
