"""What is said between the process that has the store open and a worker.

A task takes two rounds: ``Spans`` to ``Drafted``, then, once the store was asked what they repeat
and what is stored of them, ``Known`` to ``Encoded``. Messages are pickled: both ends are one
program, and nobody else has the socket between them.
"""

from __future__ import annotations

import pickle
import traceback
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.model.span import TraceKey
    from spanloom.core.model.trajectory import DuplicateOf, Status
    from spanloom.core.ports.building import Call, Head
    from spanloom.core.ports.carried import CarriedRecord, CarriedSpans, Codec
    from spanloom.core.pricing.book import PriceBook
    from spanloom.extractor.result import BatchResult


class Begin(NamedTuple):
    """Sent first: what all tasks need."""

    codec: Codec
    prices: PriceBook


class Ready(NamedTuple):
    """Answer to ``Begin``: everything is imported."""


class Spans(NamedTuple):
    """The spans of a task, and how its traces are to be built."""

    task: int
    wanted: Mapping[TraceKey, Status]
    carried: CarriedSpans
    limit_s: float
    """How much CPU time this round may take."""


class Drafted(NamedTuple):
    """Answer to ``Spans``: each trace that could be read to its calls."""

    calls: Mapping[TraceKey, Sequence[Call]]


class Known(NamedTuple):
    """What the store knows of the traces of a task."""

    task: int
    originals: Mapping[TraceKey, DuplicateOf]
    heads: Mapping[TraceKey, Head]
    limit_s: float


class Encoded(NamedTuple):
    """Answer to ``Known``: what is to be written, and what became of the rest."""

    records: Sequence[CarriedRecord]
    result: BatchResult


class Failed(NamedTuple):
    """Answer to either: the worker could not do it, as one trace's failure is none."""

    error: str


Question = Spans | Known
Answer = Ready | Drafted | Encoded | Failed


def transportable(error: Exception) -> Exception:
    """Return an error that can be pickled, and tells where it was raised."""
    told = "".join(traceback.format_exception(error))
    carried: Exception
    try:
        carried = pickle.loads(pickle.dumps(error))  # noqa: S301  # made a moment ago
    except Exception:  # an error with fields of its own may not come back
        carried = RuntimeError(f"{type(error).__name__}: {error}")
    if not isinstance(carried, Exception):
        carried = RuntimeError(str(error))
    carried.add_note(told)
    return carried
