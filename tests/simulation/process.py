"""An extractor as a process that stops before every statement, and may be killed there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from greenlet import getcurrent, greenlet
from tests.simulation.engine import NS
from tests.simulation.store import Connection, SimStore, SimWorkers

from spanloom.core.errors import RetryableError, StoreUnavailableError
from spanloom.core.sharing import hold_all
from spanloom.extractor.extractor import Extractor
from spanloom.extractor.readiness import Timing
from spanloom.extractor.result import BY_DEFAULT
from spanloom.heartbeat import Heartbeat

if TYPE_CHECKING:
    from tests.simulation.engine import Engine

    from spanloom.extractor.result import BuildOptions
    from spanloom.metrics import Metrics

BOOTED_NS = 1_800_000_000 * NS
"""The machine's boot by the clock of the store, as monotonic clocks start at boot."""
RUNAWAY = 10_000
"""More statements than any look (a round of an extractor) executes with its builds."""


class KilledError(BaseException):
    """Ends a simulated process; not an ``Exception``, because the code under test catches those."""


class Process:
    """One extractor over the modelled engine; a test runs it statement by statement."""

    def __init__(
        self,
        engine: Engine,
        metrics: Metrics,
        options: BuildOptions = BY_DEFAULT,
        wall_ahead_ns: int = 0,
        *,
        name: str = "",
        shares: bool = False,
    ) -> None:
        """Start the extractor; with ``shares`` it builds only the share that heartbeats give it."""
        self._engine = engine
        self._metrics = metrics
        self._options = options
        self._wall_ahead_ns = wall_ahead_ns
        self._shares = shares
        self._loses_answer = False
        self._extractor: Extractor | None = None
        self.waits_for = ""
        """The statement before which the process is stopped; empty between looks."""
        self._name = name
        self._starts = 0
        self.restart()

    def restart(self) -> None:
        """Kill the extractor if it runs, and start a new one over the stored data."""
        self.kill()
        self._starts += 1
        me = f"{self._name}, start {self._starts}"
        self._heartbeat = Heartbeat(
            SimWorkers(self._engine, me),
            me,
            ["extract"],
            self._metrics,
            lambda: (self._engine.now_ns - BOOTED_NS) / NS,
        )
        self.store = SimStore(Connection(self._engine, self._before, self._after))
        self._extractor = Extractor(
            self.store,  # type: ignore[arg-type]  # without replays
            self._metrics,
            Timing(),
            lambda: self._engine.now_ns - BOOTED_NS,
            self._options,
            wall_clock=lambda: self._engine.now_ns + self._wall_ahead_ns,
            held=self._heartbeat.held if self._shares else hold_all,
        )

    def kill(self) -> None:
        """End the process at the statement before which it stopped."""
        if self.is_busy:
            self._work.throw(KilledError)
        self._extractor = None

    def beat(self) -> None:
        """Do a round of the heartbeat, which does not wait for statements of the extractor."""
        if self.is_alive and self._shares:
            self._heartbeat.run_once()

    @property
    def is_alive(self) -> bool:
        return self._extractor is not None

    @property
    def is_busy(self) -> bool:
        """Whether the process is stopped within a look (a round of the extractor) or a build."""
        return bool(self.waits_for)

    @property
    def is_idle(self) -> bool:
        """Whether the extractor was killed, or is between looks and has no trace to build."""
        extractor = self._extractor
        return extractor is None or (not self.is_busy and not len(extractor._discovery))

    def run(self, statements: int = RUNAWAY) -> bool:
        """Execute this many statements, at most up to the end of the look; return whether it ended.

        The process is then stopped before the next statement, whose first words ``waits_for`` has.
        """
        if not self.is_alive:
            return True
        self.beat()
        if not self.is_busy:
            self._begin()
        for _ in range(statements):
            if not self.is_busy:
                return True
            self._work.switch()
        assert not self.is_busy or statements < RUNAWAY, f"no end of statements: {self.waits_for}"
        return not self.is_busy

    def lose_store(self) -> None:
        """Make the statement before which the process stopped fail, as if the store were down."""
        if self.is_busy:
            self._work.throw(StoreUnavailableError("the store was killed"))

    def lose_answer(self) -> None:
        """Make the next INSERT succeed, but report an error."""
        self._loses_answer = True

    def _begin(self) -> None:
        self._work = greenlet(self._look)
        self.waits_for = "begin"
        self._work.switch()

    def _look(self) -> None:
        """Do one round as ``Extractor._run`` does."""
        try:
            assert self._extractor is not None
            self._extractor.run_once()
        except (RetryableError, KilledError):
            pass
        finally:
            self.waits_for = ""

    def _before(self, statement: str) -> None:
        me = getcurrent()
        if me.parent is not None:  # otherwise a test reads the store
            self.waits_for = statement
            me.parent.switch()

    def _after(self, statement: str) -> None:
        if self._loses_answer:
            self._loses_answer = False
            raise StoreUnavailableError(f"the answer of {statement} was lost")
