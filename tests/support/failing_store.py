"""The in-memory store with a switch: runs a service while its store is unavailable."""

from __future__ import annotations

from contextlib import contextmanager
from threading import Event
from typing import TYPE_CHECKING, Any

from tests.support.memory_store import MemoryStore
from tests.support.memory_upkeep import MemoryUpkeep

from spanloom.config.loading import load_settings
from spanloom.core.errors import StoreUnavailableError
from spanloom.process.wiring import Service

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    import pytest

MIB = 1 << 20


class FailingStore:
    """The in-memory store, which can be switched off, lose its responses, or delay them."""

    def __init__(self) -> None:
        self.is_down = False
        self.loses_answers = False
        self.answers = Event()
        """While cleared, ``append`` waits: the store does not respond at all."""
        self.answers.set()
        self.taken = 0
        self._store = MemoryStore()

    def __getattr__(self, name: str) -> Any:  # a subject or a method of the store
        found = getattr(self._store, name)
        return self.failing(name, found) if callable(found) else FailingSubject(self, found)

    def failing(self, name: str, method: Callable[..., Any]) -> Callable[..., Any]:
        """Return the method, wrapped to apply the active fault."""

        def call(*arguments: object, **named: object) -> object:
            if self.is_down and name != "close":
                raise StoreUnavailableError("the store is switched off")
            if name == "append":
                self.answers.wait()
            answer = method(*arguments, **named)
            self.taken += name == "append"
            if self.loses_answers and name == "append":
                raise StoreUnavailableError("the answer got lost")
            return answer

        return call


class FailingSubject:
    """A subject of the failing store."""

    def __init__(self, store: FailingStore, subject: object) -> None:
        self._store = store
        self._subject = subject

    def __getattr__(self, name: str) -> Any:  # a method of the subject, whatever its type
        return self._store.failing(name, getattr(self._subject, name))


def failing_store(patched: pytest.MonkeyPatch) -> FailingStore:
    """Return the store that every service of this process uses from now on."""
    store = FailingStore()
    patched.setattr("spanloom.process.wiring.open_store", lambda *_: store)
    patched.setattr("spanloom.process.wiring.open_upkeep", lambda *_: MemoryUpkeep())
    return store


@contextmanager
def service_over(store: FailingStore, data_dir: Path) -> Iterator[Service]:
    """Run a service over the store, with a spool of 1 MiB."""
    settings = load_settings(
        {
            "data_dir": data_dir,
            "otlp_grpc_port": 0,
            "otlp_http_port": 0,
            "api_port": 0,
            "spool_max_bytes": MIB,
            "batch_wait_s": 0.05,
            "root_quiet_s": 0.2,
            "no_root_quiet_s": 0.5,
            "shutdown_s": 5,
            "extract_workers": 0,  # the in-memory store returns no bytes
        }
    )
    with Service(settings) as running:
        yield running
        store.is_down = store.loses_answers = False
        store.answers.set()
