"""An extractor as a process that stops at every statement, and may be killed there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from greenlet import getcurrent, greenlet
from tests.simulation.store import Connection, SimStore

from spanloom.core.errors import RetryableError, StoreUnavailableError
from spanloom.extractor.extractor import Extractor
from spanloom.extractor.readiness import Timing
from spanloom.telemetry import Metrics

if TYPE_CHECKING:
    from tests.simulation.engine import Engine

RUNAWAY = 10_000
"""More statements than any look and its builds take."""


class KilledError(BaseException):
    """Ends a simulated process; no ``Exception``, as the code under test handles those."""


class Process:
    """One extractor over the engine, run by hand."""

    def __init__(
        self, engine: Engine, timing: Timing | None = None, wall_ahead_ns: int = 0
    ) -> None:
        self._engine = engine
        self._timing = timing or Timing()
        self._wall_ahead_ns = wall_ahead_ns
        self._loses_answer = False
        self.restart()

    def restart(self) -> None:
        """Start a new extractor over what is stored; one that runs is killed first."""
        self.kill()
        self.store = SimStore(Connection(self._engine, self._before, self._after))
        self.metrics = Metrics()
        self._extractor: Extractor | None = Extractor(
            self.store,  # type: ignore[arg-type]  # without replays
            self.metrics,
            self._timing,
            lambda: self._engine.now_ns,
            wall_clock=lambda: self._engine.now_ns + self._wall_ahead_ns,
        )

    def kill(self) -> None:
        """End the process at the statement before which it stopped."""
        if self.is_busy:
            self._work.throw(KilledError)
        self._extractor, self.waits_for = None, ""

    @property
    def is_alive(self) -> bool:
        return self._extractor is not None

    @property
    def is_busy(self) -> bool:
        """Whether it is stopped within a look or a build."""
        return bool(getattr(self, "waits_for", ""))

    @property
    def is_idle(self) -> bool:
        """Whether discovery knows of nothing to build."""
        extractor = self._extractor
        return extractor is None or (not self.is_busy and not len(extractor._discovery))

    def run(self, statements: int = RUNAWAY) -> bool:
        """Execute so many statements, or up to the end of the look; return whether it ended.

        It is stopped before the next statement: ``waits_for`` has its first words.
        """
        if not self.is_alive:
            return True
        if not self.is_busy:
            self._begin()
        for _ in range(statements):
            if not self.is_busy:
                return True
            self._work.switch()
        assert not self.is_busy or statements < RUNAWAY, f"no end of statements: {self.waits_for}"
        return not self.is_busy

    def lose_store(self) -> None:
        """Let the statement before which it stopped fail: the store does not answer."""
        if self.is_busy:
            self._work.throw(StoreUnavailableError("the store was killed"))

    def lose_answer(self) -> None:
        """Let the next INSERT succeed and report an error."""
        self._loses_answer = True

    def _begin(self) -> None:
        self._work = greenlet(self._look)
        self.waits_for = "begin"
        self._work.switch()

    def _look(self) -> None:
        """Do what ``Extractor._run`` does in a round."""
        try:
            assert self._extractor is not None
            self._extractor.run_once()
        except (RetryableError, KilledError):
            pass
        finally:
            self.waits_for = ""

    def _before(self, statement: str) -> None:
        me = getcurrent()
        if me.parent is not None:  # else a test asks
            self.waits_for = statement
            me.parent.switch()

    def _after(self, statement: str) -> None:
        if self._loses_answer:
            self._loses_answer = False
            raise StoreUnavailableError(f"the answer of {statement} was lost")
