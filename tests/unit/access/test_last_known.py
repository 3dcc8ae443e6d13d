"""The copy of keys and usage that a collector keeps on disk, for a start without the store."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING

import pytest
from structlog.testing import capture_logs
from tests.support.memory_keys import MemoryKeys

from spanloom.access.authenticate import Authenticator, Keyring
from spanloom.access.keys import KeyAdministration
from spanloom.access.last_known import LastKnown, pack_keys, unpack_keys, unpack_usage
from spanloom.access.limits import LimitsByProject, ProjectLimits
from spanloom.access.quotas import Quotas
from spanloom.core.errors import KeysUnknownError, StoreUnavailableError, UnauthenticatedError
from spanloom.core.model.access import ANYBODY, Key, Scope

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

NOBODY = "sl_0123456789ab_" + "a" * 43


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "keys-known.json"


def ring_of(store: MemoryKeys, file: Path | None) -> Keyring:
    """Start a keyring over a store that may be down, stop it, and return it."""
    keyring = Keyring(store, known=LastKnown(file), poll_s=3600)
    keyring.start()
    keyring.stop()
    return keyring


def test_a_value_is_replaced_as_a_whole_and_readable_by_its_owner_alone(file: Path) -> None:
    known = LastKnown(file)
    assert known.read() is None
    for value in ({"a": 1}, [2]):
        known.write(value)
        assert LastKnown(file).read() == value
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [path.name for path in file.parent.iterdir()] == [file.name]


@pytest.mark.parametrize("text", ["", "{", "[]", '{"format": 2, "value": 1}', '{"value": 1}'])
def test_a_damaged_file_is_as_good_as_none(file: Path, text: str) -> None:
    file.write_text(text)
    with capture_logs():
        assert LastKnown(file).read() is None


def test_a_disk_that_takes_nothing_is_named_once(tmp_path: Path) -> None:
    known = LastKnown(tmp_path / "away" / "file")
    with capture_logs() as lines:
        known.write(1)
        known.write(2)
    assert len(lines) == 1


def test_keys_come_back_without_their_use() -> None:
    key = Key("0123456789ab", "d" * 64, "p", frozenset({Scope.READ}), 1, 2, 3, used_ns=4)
    (back,) = unpack_keys(pack_keys([key])) or ()
    assert back == Key("0123456789ab", "d" * 64, "p", frozenset({Scope.READ}), 1, 2, 3)


@pytest.mark.parametrize("value", [None, 1, ["x"], [{"id": "x"}], [{"scopes": 1}], {"a": 1}])
def test_what_is_no_list_of_keys_is_none(value: object) -> None:
    assert unpack_keys(value) is None


def test_usage_is_bytes_by_project() -> None:
    assert unpack_usage({"p": 1}) == {"p": 1}
    for other in (None, [1], {"p": "1"}, {"p": 1.5}):
        assert unpack_usage(other) is None


def test_a_start_without_the_store_goes_on_with_the_keys_read_last(file: Path) -> None:
    store = MemoryKeys()
    made = KeyAdministration(store).create("p", set(Scope))
    ring_of(store, file)
    store.is_down = True
    keyring = ring_of(store, file)
    door = Authenticator(keyring, open_without_keys=True)
    assert door.authenticate([("x-api-key", made.text)]).project == "p"
    assert not door.obstacle
    for headers in ([], [("x-api-key", NOBODY)]):
        with pytest.raises(UnauthenticatedError):
            door.authenticate(headers, only_sends=True)


def test_a_table_that_lost_its_keys_does_not_empty_the_file(file: Path) -> None:
    store = MemoryKeys()
    KeyAdministration(store).create("p", set(Scope))
    keyring = ring_of(store, file)
    store.kept.clear()
    keyring.refresh()
    store.is_down = True
    assert ring_of(store, file).has_keys


def test_the_file_is_written_only_if_keys_have_changed(file: Path) -> None:
    store = MemoryKeys()
    made = KeyAdministration(store).create("p", set(Scope))
    keyring = ring_of(store, file)
    written = file.stat().st_ino
    keyring.note_use(made.key.id)
    keyring.write_uses()
    keyring.refresh()
    assert file.stat().st_ino == written
    KeyAdministration(store).revoke(made.key.id)
    keyring.refresh()
    assert file.stat().st_ino != written


def test_nothing_to_write_is_no_sign_that_the_store_is_back() -> None:
    store = MemoryKeys()
    keyring = Keyring(store, use_s=0, poll_s=3600)
    keyring.start()
    store.is_down = True
    with capture_logs() as lines:
        for _ in range(5):
            keyring._round()
        keyring.stop()
    assert len(lines) == 1


def test_a_use_in_an_outage_is_written_after_it() -> None:
    store = MemoryKeys()
    made = KeyAdministration(store).create("p", set(Scope))
    keyring = Keyring(store, use_s=0, poll_s=3600, now_ns=lambda: 7)
    keyring.start()
    keyring.note_use(made.key.id)
    store.is_down = True
    with capture_logs():
        keyring._attempt(keyring.write_uses)
        store.is_down = False
        keyring.stop()
    assert store.kept[made.key.id].used_ns == 7


@pytest.mark.parametrize("is_open", [True, False])
def test_while_no_keys_are_known_a_key_is_neither_good_nor_bad(*, is_open: bool) -> None:
    keyring = ring_of(MemoryKeys(is_down=True), None)
    door = Authenticator(keyring, open_without_keys=is_open)
    for only_sends in (True, False):
        with pytest.raises(KeysUnknownError):
            door.authenticate([("x-api-key", NOBODY)], only_sends=only_sends)
    with pytest.raises(KeysUnknownError):
        door.authenticate([])
    if is_open:
        assert door.authenticate([], only_sends=True) == ANYBODY
        assert not door.obstacle
    else:
        with pytest.raises(KeysUnknownError):
            door.authenticate([], only_sends=True)
        assert "no keys are known yet" in door.obstacle


def test_the_absence_of_keys_is_known_too(file: Path) -> None:
    store = MemoryKeys()
    ring_of(store, file)
    store.is_down = True
    keyring = ring_of(store, file)
    assert Authenticator(keyring, open_without_keys=True).authenticate([]) == ANYBODY
    assert "keys create" in Authenticator(keyring, open_without_keys=False).obstacle


class Usage:
    """A store that is unavailable, or has stored 100 bytes of the project ``full``."""

    is_away = False

    def stored_bytes(self, limit: int) -> Mapping[str, int]:
        assert limit
        if self.is_away:
            raise StoreUnavailableError("away")
        return {"full": 100}


class Empty:
    last_seq = 1

    def stored_before(self) -> int:
        return 2


def test_quotas_count_what_was_stored_last(file: Path) -> None:
    usage, limits = Usage(), LimitsByProject(ProjectLimits(stored_bytes=100))
    for is_away in (False, True):
        usage.is_away = is_away
        quotas = Quotas(usage, limits, Empty(), LastKnown(file))
        quotas.start()
        assert quotas.is_full("full")
        assert not quotas.is_full("new")
        quotas.stop(1)
