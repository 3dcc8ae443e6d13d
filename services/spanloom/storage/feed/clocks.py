"""Writes the change feed, and determines the time up to which a reader has seen all writes.

A reader that follows rows by their time, or by the order of the table's parts, would miss rows,
because the write that began first may end last: with four writers whose INSERTs took up to 2.8 s,
such a reader missed nine of ten rows. So on a server each process numbers its rows, and a reader
remembers the last number of each process.
"""

from __future__ import annotations

import secrets
import time
from contextlib import contextmanager, nullcontext
from threading import Lock
from typing import TYPE_CHECKING, Protocol, TypeAlias

from spanloom.core.errors import StoreUnavailableError
from spanloom.core.model.span import TraceKey
from spanloom.core.ports.feed import Announcement
from spanloom.core.query.positions import Recent, Sight
from spanloom.storage.engine.parameters import batched
from spanloom.storage.engine.upgrading import is_under_way

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from spanloom.storage.engine.connection import Connection


TABLE = "trajectory_changes"
COLUMNS = ("Project", "TraceId", "Version", "Status", "StartTimeUnixNano", "IsSaid")
NUMBERED = (*COLUMNS, "Writer", "Number", "IsAgain")
US = 1_000_000
HORIZON_S = 10.0
"""Seconds that a reader looks back.

A row of another process is visible at most this long after its time, or is written again.
"""
LONGEST_INSERT_S = 4
CLOCK_HOLDS_S = 1.0
"""Seconds for which the store's time is cached; reading it takes a third of a poll's cost."""
TRIES = 3
"""Writes of a row that becomes visible too late, before the store counts as too slow."""
QUIET_S = 60.0
"""Seconds by which an idle reader's position lags behind the store's clock.

It lags in case the store's clock is set back.
"""
QUIET_ALONE_S = 12 * 3600.0
"""Seconds by which a position lags in the embedded store, in case the clock is set back.

Only a change between two starts of the service matters. The lag is limited, because a position is
useless once it is older than the stored rows.
"""
FOREVER_US = 2**53
"""A time in microseconds after all others: the year 2255, which the store can represent."""

Rows: TypeAlias = "Sequence[Sequence[object]]"


class FeedClock(Protocol):
    """Sets the time of rows, and determines the time up to which all rows are visible."""

    def around(self, connection: Connection, rows: Rows) -> AbstractContextManager[None]:
        """Return a context that inserts rows of ``COLUMNS`` at its end, even after an error."""

    def look(self, connection: Connection) -> Sight:
        """Return the times up to which the next query sees all rows."""


class OwnClock:
    """The clock of the embedded store, of which one process makes all writes.

    Each write has its own time, later than all others. A row is shown when every write that began
    before it has ended, so no row is shown twice, or delayed by more than another INSERT.
    """

    def __init__(self, clock: Callable[[], int] = time.time_ns) -> None:
        """Use the clock, in ns since the epoch; it may be adjusted while running."""
        self._clock = clock
        self._lock = Lock()
        self._under_way: set[int] = set()
        self._last_us = 0
        self._stored_us = 0

    @contextmanager
    def around(self, connection: Connection, rows: Rows) -> Iterator[None]:
        """See ``FeedClock.around``; the rows are stored even if the process is killed within it."""
        with self._writing(connection) as at_us:
            at = f"{at_us // US}.{at_us % US:06d}"
            stamped = ([at, *row] for row in rows)
            connection.insert(TABLE, ("ChangedAt", *COLUMNS), stamped, most_s=LONGEST_INSERT_S)
            yield

    def look(self, connection: Connection) -> Sight:
        """See ``FeedClock.look``."""
        with self._lock:
            self._remember(connection)
            quiet_us = max(self._stored_us, self._time_us() - int(QUIET_ALONE_S * US))
            self._last_us = max(self._last_us, quiet_us)
            complete_us = min(self._under_way) - 1 if self._under_way else self._last_us
            now_us = max(self._last_us, self._time_us())
        # Not later than the stored rows, because after a restart only those are known.
        return Sight(complete_us, min(quiet_us, complete_us), complete_us, now_us, complete_us)

    @contextmanager
    def _writing(self, connection: Connection) -> Iterator[int]:
        with self._lock:
            self._remember(connection)
            at_us = self._last_us = max(self._last_us + 1, self._time_us())
            self._under_way.add(at_us)
        try:
            yield at_us
            self._stored_us = max(self._stored_us, at_us)
        finally:
            with self._lock:
                self._under_way.discard(at_us)

    def _remember(self, connection: Connection) -> None:
        """Start at the time of the newest stored row, even if the system clock was set back."""
        if not self._last_us:
            newest = (int(at_us) for (at_us,) in connection.rows("newest_announcement"))
            self._last_us = self._stored_us = max(newest, default=1)

    def _time_us(self) -> int:
        return self._clock() // 1000


class Numbers:
    """Numbers the rows of one process (the writer), in the order of its INSERTs."""

    def __init__(self) -> None:
        """Start as a new writer."""
        self._doubtful = Recent()
        self._begin()

    def _begin(self) -> None:
        self._writer = secrets.randbelow(2**32 - 1) + 1
        self._last = 0

    @contextmanager
    def numbered(self, rows: Rows) -> Iterator[Rows]:
        """Return the rows with the columns ``NUMBERED``, for an INSERT within the context.

        After an error the INSERT may still be in progress, so later rows get another writer, so
        that readers count none of them as already read.
        """
        first = self._last + 1
        self._last += len(rows)
        try:
            yield [
                [*row, self._writer, n, self._is_again(row)] for n, row in enumerate(rows, first)
            ]
        except BaseException:
            self._begin()  # the INSERT may be under way
            self.doubt(rows)
            raise

    def doubt(self, rows: Rows) -> None:
        """Remember rows that readers may have missed, for the case that they are inserted again."""
        for row in rows:
            self._doubtful.add(tuple(row[:3]))

    def _is_again(self, row: Sequence[object]) -> bool:
        return self._doubtful.has(tuple(row[:3]))


def was_enough(shown: Announcement, later: Announcement) -> bool:
    """Return whether a reader that has read all rows up to ``shown`` can skip ``later``.

    Both announce the same version. If writing ``shown`` took too long, the reader may have missed
    it. The reader has not missed it if the times of both rows are at most ``HORIZON_S`` apart.
    """
    return not later.is_repeated or later.changed_us - shown.changed_us <= HORIZON_S * US


class SharedClock:
    """The clock of a ClickHouse server to which several processes write (see ``HORIZON_S``)."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        """Measure the duration of writes with this clock, in seconds."""
        self._monotonic = monotonic
        self._known_us = 0
        self._known_until = -1.0
        self._is_upgrading = True
        """True until the store has shown that no upgrade is in progress.

        It is not checked again, because any later upgrade is to a newer release.
        """
        self._one_insert = Lock()
        self._numbers = Numbers()

    @contextmanager
    def around(self, connection: Connection, rows: Rows) -> Iterator[None]:
        """See ``FeedClock.around``."""
        try:
            yield
        finally:
            with self._one_insert:
                self._insert(connection, list(rows))

    def look(self, connection: Connection) -> Sight:
        """See ``FeedClock.look``; the time is read before the rows are, and may be slightly old."""
        now = self._monotonic()
        if now > self._known_until:
            ((self._known_us,),) = connection.rows("feed_clock")
            self._is_upgrading = self._is_upgrading and is_under_way(connection)
            self._known_until = now + CLOCK_HOLDS_S
        now_us = self._known_us
        horizon_us, quiet_us = int(HORIZON_S * US), int(QUIET_S * US)
        complete_us = now_us - horizon_us
        return Sight(
            complete_us,
            now_us - quiet_us,
            FOREVER_US,
            now_us + horizon_us,
            FOREVER_US if self._is_upgrading else complete_us,
            self._is_upgrading,
        )

    def _insert(self, connection: Connection, rows: Rows) -> None:
        """Insert rows; insert them again if that took so long that readers may have missed them.

        The time is measured in the server. Otherwise a process that slept before or after the
        INSERT would announce the same versions a second time, although another process has
        announced them in the meantime.
        """
        for _ in range(TRIES):
            began = self._monotonic()
            with self._numbers.numbered(rows) as numbered:
                took_s = connection.insert(TABLE, NUMBERED, numbered, most_s=LONGEST_INSERT_S)
            if (self._monotonic() - began if took_s is None else took_s) <= HORIZON_S / 2:
                return
            self._numbers.doubt(rows)
        raise StoreUnavailableError(
            f"the store takes longer than {HORIZON_S / 2:g} s for a row of {TABLE}; readers of the "
            "change feed could miss it, so it is tried again"
        )


class Announcer:
    """Writes rows of the feed with the extractor's connection."""

    def __init__(self, worker: Connection, feed_clock: FeedClock) -> None:
        """Use the connection, which the caller closes, and the clock that sets the time of rows."""
        self._worker = worker
        self._feed_clock = feed_clock

    def announce(self, announcements: Sequence[Announcement]) -> None:
        """See ``FeedWriter.announce``."""
        with self.announcing(announcements):
            pass

    def announce_missing(self, announcements: Sequence[Announcement]) -> None:
        """See ``FeedWriter.announce_missing``."""
        known = {
            (TraceKey(row.Project, row.TraceId), row.Version)
            for some in batched([a.key for a in announcements])
            for row in self._worker.rows("announcements_of", keys=some, since_us=0)
        }
        self.announce([a for a in announcements if (a.key, a.version) not in known])

    def announcing_judgements(self, keys: Iterable[TraceKey]) -> AbstractContextManager[None]:
        """See ``AnnotationStore.announcing_judgements``."""
        return self.announcing(
            [Announcement.of_judgement(key) for key in dict.fromkeys(keys) if key.trace_id]
        )

    def announcing(self, announcements: Sequence[Announcement]) -> AbstractContextManager[None]:
        """Return a context for storing the announced changes; readers see the rows afterwards."""
        rows = [
            [*a.key, a.version, a.status.value, a.start_ns, a.is_judgement] for a in announcements
        ]
        return self._feed_clock.around(self._worker, rows) if rows else nullcontext()
