"""The messages between a worker and its owner, the process that has the store open.

A task takes two rounds: the owner sends ``Spans`` and the worker answers ``Drafted``; the owner
queries the store for duplicates and stored versions, sends ``Known``, and the worker answers
``Encoded``. Messages are pickled, which is safe because both processes run the same program and the
socket is private.
"""

from __future__ import annotations

import pickle
import traceback
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from spanloom.core.model.span import TraceKey
    from spanloom.core.model.trajectory import DuplicateOf, Status
    from spanloom.core.ports.building import CarriedRecord, CarriedSpans, Codec
    from spanloom.core.ports.calls import Call
    from spanloom.core.ports.spans import Arrived
    from spanloom.core.ports.trajectories import Head
    from spanloom.extractor.result import BatchResult, BuildOptions


class Begin(NamedTuple):
    """The first message: the options that all tasks need."""

    codec: Codec
    options: BuildOptions


class Ready(NamedTuple):
    """Answer to ``Begin``: all modules are imported."""


class Spans(NamedTuple):
    """The spans of a task, and the status to build each trace with."""

    task: int
    traces: Mapping[TraceKey, Status]
    carried: CarriedSpans
    arrived: Mapping[TraceKey, Arrived]
    limit_s: float
    """CPU time limit of this round, in seconds."""


class Drafted(NamedTuple):
    """Answer to ``Spans``: the calls of each extracted trace."""

    calls: Mapping[TraceKey, Sequence[Call]]
    left: AbstractSet[TraceKey] = frozenset()
    """Traces that the owner must build, because only the owner can query the store.

    These are traces of runs of several traces, which need the other traces; traces whose span ids
    have to be compared with the arrived ids; and traces with more spans than are shown.
    """


class Known(NamedTuple):
    """The second request for a task: the originals of duplicates, and stored versions."""

    task: int
    originals: Mapping[TraceKey, DuplicateOf]
    heads: Mapping[TraceKey, Head]
    limit_s: float


class Encoded(NamedTuple):
    """Answer to ``Known``: the records to write, and the outcome of all traces."""

    records: Sequence[CarriedRecord]
    result: BatchResult


class Failed(NamedTuple):
    """Answer to ``Spans`` or ``Known``: the whole task failed.

    Failures of single traces are in ``Encoded.result``.
    """

    error: str


Question = Spans | Known
Answer = Ready | Drafted | Encoded | Failed


def transportable(error: Exception) -> Exception:
    """Return an error that can be pickled, with its traceback as a note."""
    trace = "".join(traceback.format_exception(error))
    carried: Exception
    try:
        carried = pickle.loads(pickle.dumps(error))  # noqa: S301  # pickled here
    except Exception:  # errors with custom constructors may not unpickle
        carried = RuntimeError(f"{type(error).__name__}: {error}")
    if not isinstance(carried, Exception):
        carried = RuntimeError(str(error))
    carried.add_note(trace)
    return carried
