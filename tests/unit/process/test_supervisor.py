"""Parts start in order and stop in reverse; a failed part is reported and ends the wait."""

from __future__ import annotations

import threading

import pytest

from spanloom.core.errors import StartupError
from spanloom.process import supervisor as module
from spanloom.process.supervisor import PartFailedError, Supervisor


class Recorded:
    """A part that records its calls in ``events``."""

    def __init__(self, name: str, events: list[str], port: int = 0) -> None:
        self.name = name
        self.failed: BaseException | None = None
        self.cannot_start = False
        self.port = port
        self.trouble = ""
        self._events = events

    def start(self) -> None:
        self._events.append(f"start {self.name}")
        if self.cannot_start:
            raise StartupError("no port")

    def stop(self, grace_s: float) -> None:
        assert grace_s > 0
        self._events.append(f"stop {self.name}")


def test_parts_and_closings_stop_in_reverse() -> None:
    events: list[str] = []
    supervisor = Supervisor(1)
    supervisor.start(Recorded("store", events))
    supervisor.at_end(lambda: events.append("close file"))
    supervisor.start(Recorded("writer", events, port=4317))
    assert supervisor.unready() == ("starting",)
    supervisor.started()
    assert not supervisor.unready()
    assert not supervisor.troubles()
    supervisor._parts[0].trouble = "the disk is full"  # type: ignore[attr-defined]  # a Recorded
    assert supervisor.troubles() == ["the disk is full"]
    assert not supervisor.unready()
    assert supervisor.ports() == {"store": 0, "writer": 4317}
    supervisor.stop()
    assert supervisor.unready() == ("stopping",)
    assert events == ["start store", "start writer", "stop writer", "close file", "stop store"]


def test_a_part_that_cannot_start_is_stopped_too() -> None:
    events: list[str] = []
    supervisor = Supervisor(1)
    part = Recorded("api", events)
    part.cannot_start = True
    with pytest.raises(StartupError):
        supervisor.start(part)
    supervisor.stop()
    assert events == ["start api", "stop api"]


def test_a_failure_is_told_and_ends_the_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "NOTICE_S", 0)
    supervisor = Supervisor(60)
    healthy, sick = Recorded("api", []), Recorded("writer", [])
    for part in (healthy, sick):
        supervisor.start(part)
    supervisor.started()
    threading.Timer(0.2, setattr, (sick, "failed", KeyError("x"))).start()
    with pytest.raises(PartFailedError, match=r"the part 'writer' has failed: KeyError\('x'\)"):
        supervisor.wait(threading.Event())
    assert supervisor.unready() == ["the part 'writer' has failed: KeyError('x')"]


def test_the_wait_ends_when_asked_to() -> None:
    event = threading.Event()
    event.set()
    Supervisor(1).wait(event)
