"""A process that reserves the same builds as another process: ``reserving URL KEYS A_BATCH``.

It waits for a line, and then prints the numbers of the builds that it may write, as a JSON list.
"""

from __future__ import annotations

import json
import sys

from tests.support.trajectory_records import make_record, make_trajectory

from spanloom.core.model.span import TraceKey
from spanloom.storage.engine.connect import connector_of
from spanloom.storage.engine.connection import Connection
from spanloom.storage.engine.settings import WORKER_SETTINGS
from spanloom.storage.runs.ledger import Ledger
from spanloom.storage.runs.rows import encode_record

PROJECT = "reserved"


def main(url: str, keys: int, a_batch: int) -> None:
    ledger = Ledger(Connection(connector_of(url)(), WORKER_SETTINGS))
    key = TraceKey(PROJECT, "0" * 32)
    record = encode_record(make_record(key, make_trajectory(key, steps=[]), seq=1))
    print("ready", flush=True)
    sys.stdin.readline()
    won: list[int] = []
    for first in range(0, keys, a_batch):
        numbers = range(first, min(first + a_batch, keys))
        some = [record._replace(key=TraceKey(PROJECT, f"{n:032x}")) for n in numbers]
        ledger.reserve(some)
        won += [int(one.key.trace_id, 16) for one in ledger.allowed(some, {})]
    print(json.dumps(won), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
