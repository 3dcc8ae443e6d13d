"""Makes stored traces due for another build without new spans."""

from __future__ import annotations

import secrets
import time
from typing import TYPE_CHECKING

from spanloom.storage.engine.parameters import batched, bind
from spanloom.storage.engine.statements import query

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.model.span import TraceKey
    from spanloom.storage.engine.connection import Connection


def record_revisits(connection: Connection, keys: Sequence[TraceKey]) -> None:
    """Store an empty request for each trace, and a change as if its root had arrived.

    The request makes the trace due for any process at any time, because no build has read it.
    """
    seq = time.time_ns() // 1000
    for some in batched(keys):
        sent = bind({"keys": some, "seq": seq, "mark": secrets.randbits(64)})
        connection.run(query("revisit_traces"), **sent)
        connection.run(query("revisit_changes"), **bind({"keys": some, "seq": seq}))
