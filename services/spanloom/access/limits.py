"""Reads each project's limits from a TOML file, and enforces rate limits with token buckets.

A project has a bucket for spans and a bucket for bytes. A request is admitted while neither is
empty; its size is subtracted once it is known, so a bucket can become negative. Further requests
are refused unread until both buckets are positive again. On average no project exceeds its rate.
"""

from __future__ import annotations

import time
import tomllib
from collections.abc import Callable
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from pydantic import BaseModel, ByteSize, ConfigDict, Field, ValidationError

from spanloom.core.errors import RateLimitedError, StartupError
from spanloom.logs import get_logger
from spanloom.threads import RepeatingPart

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


class ProjectLimits(NamedTuple):
    """Limits of one project; 0 means that there is no limit."""

    spans_per_s: float = 0
    bytes_per_s: float = 0
    """Decoded bytes of requests per second."""
    stored_bytes: int = 0
    """Bytes in the store and of requests in the spool."""


LimitsOf = Callable[[str], ProjectLimits]
"""Returns the current limits of a project."""


def unlimited(_project: str) -> ProjectLimits:
    """Return limits of 0 (none) for any project."""
    return ProjectLimits()


POLL_S = 1.0
"""Seconds between checks of the file for changes."""
_STRICT = ConfigDict(extra="forbid")


class _Project(BaseModel):
    model_config = _STRICT

    spans_per_s: float = Field(0, ge=0)
    bytes_per_s: ByteSize = Field(ByteSize(0), ge=0)
    stored_bytes: ByteSize = Field(ByteSize(0), ge=0)


class _File(BaseModel):
    model_config = _STRICT

    projects: dict[str, _Project] = {}


def read_limits(path: Path) -> Mapping[str, ProjectLimits]:
    """Return limits, keyed by project; raises ``StartupError`` with a message of one line."""
    try:
        read = _File.model_validate(tomllib.loads(path.read_text("utf-8")))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise StartupError(f"--limits-file {path}: {where}: {first['msg']}") from error
    except (OSError, ValueError) as error:  # tomllib's errors are ValueErrors
        raise StartupError(f"--limits-file {path} cannot be read: {error}") from error
    return {
        project: ProjectLimits(
            limits.spans_per_s, float(limits.bytes_per_s), int(limits.stored_bytes)
        )
        for project, limits in read.projects.items()
    }


class LimitsByProject(RepeatingPart):
    """The limits of each project, from options and from a file.

    Between ``start`` and ``stop`` the file is reloaded when it changes. If it is invalid, for
    instance half written, the error is logged once and the limits stay unchanged.
    """

    name = "limits"

    def __init__(
        self, default: ProjectLimits, path: Path | None = None, poll_s: float = POLL_S
    ) -> None:
        """Read the file, if any; projects that are not in the file have the ``default`` limits.

        Raises ``StartupError`` if the file is missing or invalid.
        """
        super().__init__(poll_s)
        self._default = default
        self._path = path
        self._own = read_limits(path) if path else {}
        self._trouble = ""

    def start(self) -> None:
        """Start to check the file, if any, for changes."""
        if self._path:
            super().start()

    def of(self, project: str) -> ProjectLimits:
        """Return the current limits of a project."""
        return self._own.get(project, self._default)

    @property
    def any_quota(self) -> bool:
        """Whether the stored bytes of any project are limited."""
        return any(limits.stored_bytes for limits in (self._default, *self._own.values()))

    def _round(self) -> None:
        if self._path:
            self._read_again(self._path)

    def _read_again(self, path: Path) -> None:
        try:
            own = read_limits(path)
        except StartupError as error:  # a mistake in the file must not stop the service
            if str(error) != self._trouble:
                get_logger(self.name).error("the limits stay as they were", error=str(error))
            self._trouble = str(error)
            return
        if own != self._own:
            get_logger(self.name).info("the limits of projects have changed")
        self._own, self._trouble = own, ""


BURST_S = 2.0
"""The capacity of a bucket in seconds of its rate, because batches arrive unevenly."""


class Rates:
    """Enforces the rate limits of each project; thread-safe."""

    def __init__(
        self, limits_of: LimitsOf = unlimited, clock_s: Callable[[], float] = time.monotonic
    ) -> None:
        """Use the limits that ``limits_of`` returns for a project.

        All senders whose key names no project share the limits of the project ``""``.
        """
        self._limits_of = limits_of
        self._clock_s = clock_s
        self._lock = Lock()
        self._buckets: dict[str, _Buckets] = {}

    def check(self, project: str) -> None:
        """Raise ``RateLimitedError`` with the time to wait if the project is over its rate."""
        with self._lock:
            now = self._clock_s()
            buckets = self._of(project)
            wait_s = max(buckets.spans.wait_s(now), buckets.bytes.wait_s(now))
        if wait_s > 0:
            raise RateLimitedError(
                f"The project {project or 'of these senders'} sends more than it may: try again.",
                wait_s,
            )

    def charge(self, project: str, *, spans: int = 0, size: int = 0) -> None:
        """Subtract the spans and bytes of a request from the project's buckets."""
        with self._lock:
            buckets = self._of(project)
            buckets.spans.take(spans)
            buckets.bytes.take(size)

    def _of(self, project: str) -> _Buckets:
        """Return a project's buckets; they are new and full if its limits have changed."""
        limits = self._limits_of(project)
        buckets = self._buckets.get(project)
        if buckets is None or buckets.limits != limits:
            buckets = self._buckets[project] = _Buckets(limits, self._clock_s())
        return buckets


class _Buckets:
    """The two buckets of a project, and the limits from which they were made."""

    def __init__(self, limits: ProjectLimits, now: float) -> None:
        self.limits = limits
        self.spans = _Bucket(limits.spans_per_s, now)
        self.bytes = _Bucket(limits.bytes_per_s, now)


class _Bucket:
    """A token bucket that may become negative."""

    def __init__(self, rate: float, now: float) -> None:
        self._rate = rate
        self._level = rate * BURST_S
        self._filled_at = now

    def take(self, amount: float) -> None:
        self._level -= amount

    def wait_s(self, now: float) -> float:
        """Refill the bucket.

        Return the seconds until it has tokens, 0 if it has some or is unlimited.
        """
        if not self._rate:
            return 0.0
        gained = (now - self._filled_at) * self._rate
        self._level = min(self._level + gained, self._rate * BURST_S)
        self._filled_at = now
        return 0.0 if self._level > 0 else max(-self._level / self._rate, 0.1)
