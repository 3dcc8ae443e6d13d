"""The part that tells channels what alerts found, at least once.

Everything runs in one loop of its own thread: a channel that does not answer costs a task that
waits, and no other channel or part waits for it. What is to be told is read from the store, where
events and what became of telling them are.
"""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import TYPE_CHECKING

import orjson

from spanloom.alerts.definition import read_definition
from spanloom.alerts.keeping import FOLLOWER
from spanloom.alerts.payload import payload_of, told_as
from spanloom.alerts.queues import PER_CHANNEL, Item, Queues
from spanloom.alerts.sending import CannotTellError
from spanloom.core.errors import RetryableError, SpanloomError
from spanloom.core.model.access import Reach
from spanloom.core.model.alert import DeliveryState
from spanloom.core.sharing import hold_all
from spanloom.following.sharing import owns
from spanloom.outage import Outage
from spanloom.telemetry import get_logger
from spanloom.threads import WatchedThread

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanloom.alerts.definition import Channel
    from spanloom.alerts.sending import Sender
    from spanloom.core.model.alert import Delivery
    from spanloom.core.ports.reading import ReadingStore
    from spanloom.core.sharing import Slices
    from spanloom.telemetry import Metrics

EVERY_S = 0.2
"""Seconds between looks at what is due."""
BUSY_S = 0.02
"""Seconds between looks while something is told: what was told is recorded at once."""
READ_S = 15.0
"""Seconds after which the store is read though nothing was noticed."""
AT_ONCE = 64
"""Channels that are told at the same time."""
THREADS = 32
"""Threads that look up names, read secrets and use the store."""
ENDING_S = 2.0
"""Seconds for which tries under way may end when the part stops."""
_DAYS_BACK = 30
"""How far back the first read looks: what is older than a day by then is tried once more."""
_DAY_US = 86_400 * 1_000_000
_OUTCOMES = {DeliveryState.PENDING: "failed"}
log = get_logger("alerts")


class AlertDeliverer:
    """A part of the process (``process/supervisor.py``); it waits for a store that is away."""

    name = "alert deliveries"

    def __init__(
        self,
        store: ReadingStore,
        sender: Callable[[], Sender],
        metrics: Metrics,
        *,
        base_url: Callable[[], str] = str,
        outage: Outage | None = None,
        held: Callable[[], Slices] = hold_all,
        clock_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        """Tell what a store has; ``sender`` makes what sends, in the loop that it is used in.

        ``base_url`` returns the address of the page, for links. Failures of the store are logged by
        ``outage``. ``held`` returns the slices of this process, of which one is all the alerts.
        """
        self._store = store
        self._make_sender = sender
        self._metrics = metrics
        self._base_url = base_url
        self._outage = outage or Outage()
        self._held = held
        self._clock_ns = clock_ns
        self._queues = Queues()
        self._unrecorded: list[Delivery] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._read_us: int | None = None
        """When the store was read last."""
        self._noticed = Event()
        self._stopping = Event()
        self._thread = WatchedThread(self.name, self._run)

    @property
    def failed(self) -> BaseException | None:
        """See ``Part.failed``."""
        return self._thread.failed

    def start(self) -> None:
        """See ``Part.start``."""
        self._thread.start()

    def stop(self, grace_s: float) -> None:
        """See ``Part.stop``: what is not told by then is told after the next start."""
        self._thread.expect_end()
        self._stopping.set()
        self._thread.join(grace_s)

    def notice(self) -> None:
        """Tell what was stored just now, from any thread."""
        self._noticed.set()

    def _run(self) -> None:
        asyncio.run(self._tell_all())

    async def _tell_all(self) -> None:
        threads = ThreadPoolExecutor(THREADS, thread_name_prefix="alert-deliveries")
        asyncio.get_running_loop().set_default_executor(threads)
        sender = self._make_sender()
        try:
            while not self._stopping.is_set():
                await self.run_once(sender)
                await asyncio.sleep(BUSY_S if self._tasks or self._unrecorded else EVERY_S)
            await self._end()
        finally:
            for task in self._tasks:
                task.cancel()
            await sender.close()
            threads.shutdown(wait=False, cancel_futures=True)

    async def _end(self) -> None:
        """Let tries under way end, so that what was told is recorded."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=ENDING_S)
        try:
            await self._record()
        except SpanloomError as error:
            log.warning("what was told could not be recorded", error=str(error))

    async def run_once(self, sender: Sender) -> None:
        """Read what is to be told, begin to tell what is due, and record what became of it."""
        try:
            await self._read()
            await self._record()
        except RetryableError as error:
            self._outage.note(self.name, error)
        else:
            self._outage.over(self.name)
        for item in self._queues.due(self._now_us(), AT_ONCE - len(self._tasks)):
            task = asyncio.create_task(self._tell(sender, item))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _read(self) -> None:
        """Read what is to be told, when there is something new or nothing was read for a while."""
        if not owns(self._held(), FOLLOWER):
            self._queues.clear()
            self._read_us = None
            return
        now_us, before_us = self._now_us(), self._read_us
        is_due = before_us is None or now_us - before_us >= READ_S * 1_000_000
        if not (is_due or self._noticed.is_set() or self._queues.wants_more):
            return
        self._noticed.clear()
        days = _DAYS_BACK if before_us is None else 2
        from_us = max(now_us - days * _DAY_US, 0)
        try:
            pending = self._store.alerts.pending
            self._queues.add(await asyncio.to_thread(pending, from_us, PER_CHANNEL))
        except SpanloomError:
            self._noticed.set()
            raise
        self._read_us = now_us

    async def _tell(self, sender: Sender, item: Item) -> None:
        """Tell one item, and note what became of it."""
        try:
            found = await asyncio.to_thread(self._message, item)
        except SpanloomError as error:
            log.warning("an alert cannot be read", alert=item.event.alert, error=str(error))
            return self._note(*self._queues.failed(item, self._now_us(), "the store is away"))
        if found is None:
            reason = "the alert has no such channel any more"
            return self._note(self._queues.dropped(item, self._now_us(), reason))
        try:
            await sender.send(*found)
        except CannotTellError as error:
            return self._note(*self._queues.failed(item, self._now_us(), str(error)))
        return self._note(self._queues.told(item, self._now_us()))

    def _note(self, *became: Delivery) -> None:
        self._unrecorded += became
        for one in became:
            outcome = _OUTCOMES.get(one.state, str(one.state))
            self._metrics.alert_deliveries.labels(outcome).inc()
            if one.state is DeliveryState.UNDELIVERED:
                names = {"alert": one.alert, "project": one.project, "id": one.id}
                log.warning("an alert could not be told", **names, reason=one.error)

    def _message(self, item: Item) -> tuple[Channel, bytes] | None:
        """Return whom to tell what; ``None`` if the alert has no such channel any more."""
        event = item.event
        alerts = self._store.alerts.list(Reach.only(event.project), event.alert)
        channels = [one for alert in alerts for one in read_definition(alert.definition).channels]
        channel = next((one for one in channels if one.key == item.channel), None)
        if channel is None:
            return None
        of_version = (
            read_definition(one.definition)
            for one in self._store.alerts.versions(event.project, event.alert)
            if one.version == event.alert_version
        )
        definition = next(of_version, None) or read_definition(alerts[0].definition)
        shown = self._store.alerts.shown([event]).get((event.id, event.number), {})
        payload = payload_of(event, shown, definition, self._base_url())
        told = told_as(channel.kind, payload, event.at_us)
        return channel, orjson.dumps(told)

    async def _record(self) -> None:
        """Store what became of deliveries; it is kept until that succeeds."""
        if not self._unrecorded:
            return
        some = list(self._unrecorded)
        await asyncio.to_thread(self._store.alerts.add_deliveries, some)
        del self._unrecorded[: len(some)]
        self._queues.recorded(some)

    def _now_us(self) -> int:
        return self._clock_ns() // 1_000
