"""Full text: the additional cost of the word index when texts are stored, and its queries."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks.apart import Usage, run_apart
from benchmarks.engine import open_engine, wait_for_merges
from benchmarks.report import Row, at_most
from benchmarks.texts import CHINESE, make_text
from benchmarks.workload import SECOND, START_NS
from spanloom.core.model.access import Reach
from spanloom.core.query.where.text_query import parse_text_query
from spanloom.storage.engine.connection import Connection
from spanloom.storage.engine.parameters import Condition, within
from spanloom.storage.engine.row_binary import RowBinary
from spanloom.storage.engine.settings import READER_SETTINGS, WORKER_SETTINGS
from spanloom.storage.texts.index import TEXT_COLUMNS
from spanloom.storage.texts.search import having_text
from spanloom.storage.upkeep.store import open_upkeep

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from benchmarks.scale import Scale

BATCHES = 20
PROJECTS = 24
"""Number of projects; one of them has every second run."""
STEPS = 10
"""Number of steps of each run."""
CHARS = (100, 1_600)
ASKED = 5
"""Number of queries; the median counts."""
PARTS = "SELECT sum(secondary_indices_compressed_bytes), sum(rows) FROM system.parts WHERE active"


class Stored(NamedTuple):
    """The cost of storing texts and of a query."""

    cpu_s: float
    """CPU-seconds, including the merges."""
    text_bytes: int
    index_bytes: int
    question_s: float
    """Seconds of a search for an id in one run: by the index, or by LIKE without it."""
    found: Sequence[object]


def measure_search(scale: Scale, folder: Path) -> Iterator[Row]:
    """Yield rows for the index: its cost when texts are stored, its size, and its gain."""
    kinds = {"without": False, "with": True}
    runs = {
        name: run_apart(store_texts, folder / name, scale.searched_texts, scale.quiet_s, has_index)
        for name, has_index in kinds.items()
    }
    bare, indexed = runs["without"], runs["with"]
    if bare.found != indexed.found:
        raise AssertionError("the index finds other texts than LIKE")
    mib = indexed.text_bytes / 2**20
    yield Row(
        "texts, stored and merged with the index: CPU by that without",
        indexed.cpu_s / bare.cpu_s,
        at_most(2.7),
        f"{scale.searched_texts:,}, {mib:,.0f} MiB: {indexed.cpu_s:.1f}, {bare.cpu_s:.1f} s",
    )
    yield Row(
        "texts: bytes of the index by those of the texts",
        indexed.index_bytes / indexed.text_bytes,
        at_most(0.2),
        f"{indexed.index_bytes / 2**20:.1f} MiB of {mib:,.0f} MiB",
    )
    yield Row(
        "search of an id that one run has: CPU by that of LIKE",
        indexed.question_s / bare.question_s,
        at_most(0.03),
        f"{indexed.question_s * 1e3:.1f} ms, {bare.question_s * 1e3:.0f} ms",
    )


def store_texts(path: Path, count: int, quiet_s: float, has_index: bool) -> Stored:
    """Store texts in batches, and search some; runs in a process of its own."""
    upkeep = open_upkeep(f"chdb://{path}")
    upkeep.migrate()
    with open_engine(path) as client:
        connection = Connection(client, WORKER_SETTINGS)
        if not has_index:
            connection.run(
                "ALTER TABLE step_texts DROP INDEX word_index SETTINGS mutations_sync = 2"
            )
        random, size, used_s = Random(7), 0, 0.0
        for batch in range(BATCHES):
            rows = [_row(random, batch * count // BATCHES + n) for n in range(count // BATCHES)]
            size += sum(len(str(row["Text"]).encode()) for row in rows)
            start = Usage.now()
            connection.insert_binary("step_texts", TEXT_COLUMNS, RowBinary(rows, TEXT_COLUMNS))
            used_s += Usage.now().since(start).cpu_s
        start = Usage.now()
        wait_for_merges(client, quiet_s)
        used_s += Usage.now().since(start).cpu_s
        ((index_bytes, _),) = client.query(f"{PARTS} AND table = 'step_texts'").result_rows
    question_s, found = _ask(path, count, has_index=has_index)
    upkeep.close()
    return Stored(used_s, size, int(index_bytes), question_s, found)


def _row(random: Random, number: int) -> Mapping[str, object]:
    run = number // STEPS
    words = make_text(random, random.randint(*CHARS))
    chinese = "".join(random.choices(CHINESE, k=120)) if run % 7 == 0 else ""
    return {
        "Project": f"project-{run % PROJECTS if run % 2 else 0}",
        "TrajectoryStart": START_NS + run * SECOND,
        "TraceId": f"{run:032x}",
        "StepId": number,
        "Part": 1 + number % 2,
        "Hash": number,
        "Type": "tool",
        "Name": "search",
        "Text": f"{words} ORD-{run} {random.randbytes(8).hex()} {chinese}",
    }


def _ask(path: Path, count: int, *, has_index: bool) -> tuple[float, Sequence[object]]:
    """Return the CPU-seconds of a search for the id of one run, and its matches."""
    used: list[float] = []
    found: list[Any] = []  # rows, which compare by their values
    with open_engine(path) as client:
        connection = Connection(client, READER_SETTINGS)
        for n in range(ASKED):
            number = (count // STEPS) * (n + 1) // (ASKED + 1) // 2 * 2
            start = Usage.now()
            if has_index:
                text = having_text(connection, parse_text_query(f"ORD-{number}"))
            else:
                text = Condition("Text LIKE {like:String}", {"like": f"%ORD-{number} %"})
            found += _candidates(connection, text)
            used.append(Usage.now().since(start).cpu_s)
    return sorted(used)[ASKED // 2], [tuple(row) for row in found]


def _candidates(connection: Connection, text: Condition) -> Sequence[object]:
    return list(
        connection.rows(
            "text_candidates",
            reach=within(Reach.only("project-0")),
            text=text,
            parts=["input", "output", "error"],
            from_ns=0,
            before_ns=2**64 - 1,
            after_start_ns=None,
            after_trace_id="",
            after_project="",
            after_step_id=0,
            after_place=0,
            most=200,
        )
    )
