"""Authentication with every kind of key, before and after the first key was made."""

from __future__ import annotations

import pytest
from tests.support.memory_keys import MemoryKeys

from spanloom.access.authenticate import Authenticator, Keyring, require
from spanloom.access.keys import KeyAdministration, make_key
from spanloom.core.errors import (
    InvalidQueryError,
    PermissionDeniedError,
    StartupError,
    UnauthenticatedError,
)
from spanloom.core.model.access import ALL_PROJECTS, ANYBODY, Caller, Scope

NOW = 1_000


class Place:
    """A key store, its administration and an authenticator, with a clock that the test sets."""

    def __init__(self, *, is_open: bool = True) -> None:
        self.now_ns = NOW
        self.store = MemoryKeys()
        self.administration = KeyAdministration(self.store, lambda: self.now_ns)
        self.keyring = Keyring(self.store, now_ns=lambda: self.now_ns)
        self.door = Authenticator(
            self.keyring, open_without_keys=is_open, now_ns=lambda: self.now_ns
        )

    def make(self, project: str = "p", *scopes: Scope, expires_ns: int | None = None) -> str:
        made = self.administration.create(project, scopes or set(Scope), expires_ns)
        self.keyring.refresh()
        return made.text

    def enter(self, key: str) -> Caller:
        return self.door.authenticate([("authorization", f"Bearer {key}")])


def test_without_any_key_everybody_may_do_everything_on_loopback() -> None:
    assert Place().door.authenticate([]) == ANYBODY


def test_without_any_key_nobody_may_do_anything_elsewhere() -> None:
    with pytest.raises(UnauthenticatedError):
        Place(is_open=False).door.authenticate([])


def test_the_first_key_closes_the_door_for_those_without() -> None:
    place = Place()
    key = place.make()
    with pytest.raises(UnauthenticatedError, match="OTEL_EXPORTER_OTLP_HEADERS"):
        place.door.authenticate([])
    assert place.enter(key).project == "p"


def test_a_closed_door_stays_closed_when_the_keys_vanish() -> None:
    place = Place()
    key = place.make()
    place.store.kept.clear()
    place.keyring.refresh()
    for headers in ([], [("x-api-key", key)]):
        with pytest.raises(UnauthenticatedError):
            place.door.authenticate(headers)


def test_a_wrong_secret_an_unknown_a_revoked_and_an_expired_key_are_told_the_same() -> None:
    place = Place()
    good, revoked = place.make(), place.make()
    expired = place.make(expires_ns=NOW + 5)
    assert place.enter(expired)
    place.administration.revoke(revoked[3:15])
    place.keyring.refresh()
    place.now_ns = NOW + 5
    wrong = good[:-1] + ("A" if good[-1] != "A" else "B")
    told = set()
    for key in (wrong, make_key().text, revoked, expired, "", "nonsense", "\N{SNOWMAN}"):
        with pytest.raises(UnauthenticatedError) as refused:
            place.enter(key)
        told.add(str(refused.value))
    assert len(told) == 1


def test_no_scope_implies_another() -> None:
    place = Place()
    for scope in Scope:
        caller = place.enter(place.make("p", scope))
        require(caller, scope)
        for other in set(Scope) - {scope}:
            with pytest.raises(PermissionDeniedError, match=other.value):
                require(caller, other)


def test_keys_read_last_stay_in_force_while_the_store_is_down() -> None:
    place = Place()
    key = place.make()
    place.store.is_down = True
    keyring = place.keyring
    keyring._attempt(keyring.refresh)
    assert place.enter(key)
    with pytest.raises(StartupError, match="keys cannot be read"):
        Keyring(place.store).start()


def test_the_last_use_is_written() -> None:
    place = Place()
    key = place.make()
    place.now_ns = NOW + 7
    place.enter(key)
    assert place.administration.list()[0].used_ns == 0
    place.keyring.write_uses()
    assert place.administration.list()[0].used_ns == NOW + 7


def test_an_administrator_of_one_project_reaches_no_other() -> None:
    place = Place()
    theirs, everywhere = place.make("theirs"), place.make(ALL_PROJECTS)
    admin = place.enter(place.make("own", Scope.ADMIN))
    assert {key.project for key in place.administration.list(admin)} == {"own"}
    for key in (theirs, everywhere):
        assert place.administration.revoke(key[3:15], admin) is None
        assert place.enter(key)
    for project in ("theirs", ALL_PROJECTS):
        with pytest.raises(PermissionDeniedError):
            place.administration.create(project, {Scope.READ}, caller=admin)
    assert place.administration.create("own", {Scope.READ}, caller=admin)


@pytest.mark.parametrize("project", ["", "  ", "a\nb", "\x1b[31m", "ä" * 101])
def test_a_bad_project_name_is_refused(project: str) -> None:
    with pytest.raises(InvalidQueryError):
        Place().administration.create(project, {Scope.READ})


def test_a_key_needs_a_scope_and_a_future() -> None:
    administration = Place().administration
    with pytest.raises(InvalidQueryError, match="scope"):
        administration.create("p", ())
    with pytest.raises(InvalidQueryError, match="expired"):
        administration.create("p", {Scope.READ}, NOW)
    with pytest.raises(InvalidQueryError, match="expired"):
        administration.create("p", {Scope.READ}, 0)  # 1970
