"""Stored traces that are to be built again though nothing came of them."""

from __future__ import annotations

import secrets
import time
from typing import TYPE_CHECKING

from spanloom.storage.engine.parameters import batched, bind
from spanloom.storage.engine.statements import query

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.model.span import TraceKey
    from spanloom.storage.engine.lane import Lane


def record_revisits(lane: Lane, keys: Sequence[TraceKey]) -> None:
    """Store of each trace a request that brought nothing, and a change as if its root had come.

    The request is what makes the trace due, whichever process looks for it and when: no build has
    seen it.
    """
    seq = time.time_ns() // 1000
    for some in batched(keys):
        sent = bind({"keys": some, "seq": seq, "mark": secrets.randbits(64)})
        lane.run(query("revisit_traces"), **sent)
        lane.run(query("revisit_changes"), **bind({"keys": some, "seq": seq}))
