"""The cost of queries before the store is read: parsing a ``where``, comparing two runs."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, cast
from zlib import crc32

import orjson

from benchmarks.apart import run_apart
from benchmarks.report import Row, at_most
from spanloom.core.diff.diff import diff_documents
from spanloom.core.model.access import Reach
from spanloom.core.query.where.parser import parse_where
from spanloom.memory import favour_speed
from spanloom.storage.where.compile import compile_where
from spanloom.storage.where.side_tables import SideTables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from benchmarks.scale import Scale
    from spanloom.storage.engine.connection import Connection

FILTER = (
    'has_error and duration > 20s and (agent = "refunds" or input_tokens >= 5000)'
    ' and has(tool = "search" then tool = "refund") and status in (settled, partial)'
    ' and count(type = tool and error) >= 2 and metadata.tier = "gold"'
)
MAX_FILTER_MS = 0.5
_ROUNDS, _BEST_OF = 200, 5
EDITED = 10
"""One step of ten has other arguments in the second run; one of thirty is left out."""


def measure_language(scale: Scale, _folder: Path) -> Iterator[Row]:
    """Yield a row for the longest kind of filter, and one for each length of two runs."""
    tables = SideTables(cast("Connection", None), Reach.ALL)  # never queried
    cpu_ms = _best_ms(lambda: compile_where(parse_where(FILTER, 0), tables), _ROUNDS)
    bar, behind = at_most(MAX_FILTER_MS, "ms"), f"{len(FILTER)} characters; the best of {_BEST_OF}"
    yield Row("a filter, parsed and compiled: CPU time", cpu_ms, bar, behind)
    for steps, limit_ms in zip(scale.compared_steps, (50, 1_000), strict=True):
        cpu_ms = run_apart(compare, steps)
        bar, behind = at_most(limit_ms, "ms"), f"one in {EDITED} edited; the best of {_BEST_OF}"
        yield Row(f"two runs of {steps:,} steps compared: CPU time", cpu_ms, bar, behind)


def compare(steps: int) -> float:
    """Return the CPU-milliseconds of comparing two runs, with the service's memory settings."""
    favour_speed()
    before, after = make_document(steps, EDITED), make_document(steps)
    return _best_ms(lambda: diff_documents(before, after), 1)


def _best_ms(work: Callable[[], object], rounds: int) -> float:
    best_s = float("inf")
    for _ in range(_BEST_OF):
        start = time.thread_time()
        for _ in range(rounds):
            work()
        best_s = min(best_s, (time.thread_time() - start) / rounds)
    return best_s * 1_000


def make_document(count: int, edited: int = 0) -> dict[str, Any]:
    """Return the document of a run; with ``edited`` some steps are changed or left out."""
    steps = [
        _step(n, is_other=bool(edited) and n % edited == edited - 1)
        for n in range(count)
        if not (edited and n % (3 * edited) == 0)
    ]
    root = {**_step(0, is_other=False), "id": "root", "input": "", "output": ""}
    return {
        "id": "run",
        "root_step": root,
        "agent_steps": [{**root, "parent_id": "", "steps": steps}],
        "extraction": {"root_type": "agent"},
    }


def _step(number: int, *, is_other: bool) -> dict[str, Any]:
    is_tool = number % 2 == 1
    asked = orjson.dumps({"query": crc32(b"%d" % number), "limit": 10 if is_other else 5}).decode()
    return {
        "id": f"{number:016x}",
        "parent_id": "root",
        "type": "tool" if is_tool else "model",
        "name": f"tool-{number * 31 % 12}" if is_tool else "chat",
        "input": asked if is_tool else "[]",
        "output": "ok"
        if is_tool
        else orjson.dumps([{"role": "assistant", "content": asked}]).decode(),
        "metadata": {},
        "basic_info": {"started_at": str(10 * number), "duration": "10"},
        "metrics_info": {"input_tokens": 0, "output_tokens": 0},
    }
