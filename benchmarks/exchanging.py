"""Formats of runs: the cost of each writer and reader, the memory of long files, the import.

The unit is the CPU time in which orjson parses the same canonical documents. The cost of a writer
includes that parsing; the cost of a reader includes everything that turns a draft into a document:
owners, metrics, failures. For each document the minimum of several passes counts, which excludes
disturbances by the machine. Each pass measures all formats and the parsing, so that all benefit
equally from the machine's quiet times.
"""

from __future__ import annotations

import subprocess
import sys
import time
from functools import partial
from math import inf
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

import orjson
from tests.support.conversions import captured_runs
from tests.support.drafted import planner

from benchmarks.apart import peak_rss_bytes, run_apart
from benchmarks.report import Bar, Row, at_most
from spanloom.client.transfer.converting import Conversion
from spanloom.client.transfer.items import find_source
from spanloom.core.exchange.verdicts import verdicts_of
from spanloom.core.formats.entry import Of, Via
from spanloom.core.formats.losses import Losses, NotHeldError
from spanloom.core.formats.readers import Located, Reading
from spanloom.core.formats.registry import formats_of
from spanloom.core.formats.stored import Stored
from spanloom.logs import configure_logging

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from benchmarks.scale import Scale
    from spanloom.core.formats.entry import Format
    from spanloom.core.formats.stored import RunWriter

T = TypeVar("T")
MAX_WRITER, MAX_READER = 6.0, 50.0
MAX_OF = dict.fromkeys(("mlflow", "databricks", "mlflow-eval", "inspect"), 15.0)
"""Limits of formats with every span: MLflow traces, rows that contain one as text, logs."""
_WRITINGS = 4
"""Passes of writers and of parsing for each pass of readers, which take longer."""
MAX_GROWTH = 1.2
MAX_IMPORT = 4.0
MIB = 1024 * 1024
_TO = ("mlflow", "inspect", "snorkel")


class Cost(NamedTuple):
    """CPU-seconds of one format for all documents."""

    writer_s: float
    reader_s: float
    """0 if the format cannot be read."""
    runs: int
    """The number of runs that the format can represent."""


def bars() -> Mapping[str, Bar]:
    """Return the limits of the rows of formats, keyed by the first words of the row.

    There is a row for each format that can be written, and one for each that can be read.
    """
    written = formats_of(Of.RUN, Via.QUERY)
    writers = {f"writing {name}": at_most(MAX_OF.get(name, MAX_WRITER)) for name in written}
    return writers | {f"reading {f.id}": at_most(MAX_READER) for f in written.values() if _file(f)}


def measure_exchange(scale: Scale, folder: Path) -> Iterator[Row]:
    """Yield rows for every writer and reader, for memory, and for importing the package."""
    parsing_s, costs = run_apart(cost_of_formats, scale.all_captures, scale.passes * scale.repeats)
    for start, bar in bars().items():
        doing, name = start.split()
        cost = costs[name]
        cpu_s = cost.writer_s if doing == "writing" else cost.reader_s
        behind = f"{cost.runs:,} captured runs, {cpu_s / max(cost.runs, 1) * 1e6:.0f} µs each"
        yield Row(f"{start}: CPU ÷ parsing", cpu_s / parsing_s, bar, behind)
    yield from _memory(scale, folder)
    yield _import(scale.starts)


def cost_of_formats(every: bool, passes: int) -> tuple[float, dict[str, Cost]]:  # pickled
    """Return the CPU-seconds of parsing all documents, and of each format."""
    configure_logging("warning")
    documents = [orjson.dumps(document) for document in captured_runs(every=every)]
    spans = [verdicts_of(orjson.loads(document)) for document in documents]
    stored = list(zip(documents, spans, strict=True))
    known = formats_of(Of.RUN, Via.QUERY)
    timed = {name: _Timed(of, stored) for name, of in known.items()}
    parsing = _Least(orjson.loads, documents)
    for _ in range(passes):
        for one in timed.values():
            one.reader.measure()
        for _ in range(_WRITINGS):
            parsing.measure()
            for one in timed.values():
                one.writer.measure()
    return parsing.total_s, {name: one.cost for name, one in timed.items()}


class _Least(Generic[T]):
    """The minimum CPU time of each item over several passes."""

    def __init__(self, work: Callable[[T], object], items: Sequence[T]) -> None:
        self._work, self._items = work, items
        self._seconds = [inf] * len(items)

    def measure(self) -> None:
        """Make one pass over the items."""
        for at, item in enumerate(self._items):
            start = time.thread_time()
            self._work(item)
            self._seconds[at] = min(self._seconds[at], time.thread_time() - start)

    @property
    def total_s(self) -> float:
        """The sum of the minimum CPU-seconds of all items."""
        return sum(self._seconds)


class _Timed:
    """The writer and the reader of a format, with the runs that it can represent."""

    def __init__(self, of: Format, stored: Sequence[tuple[bytes, bytes]]) -> None:
        write, file = partial(_write, of, of.load_writer()), _file(of)
        self.writer = _Least(write, stored)
        self._bodies = [body for body in map(write, stored) if body]
        read = partial(_read, of, file) if file else _skip
        self.reader = _Least(read, self._bodies if file else ())

    @property
    def cost(self) -> Cost:
        """The cost measured so far."""
        return Cost(self.writer.total_s, self.reader.total_s, len(self._bodies))


def _skip(body: bytes) -> None:
    """Do nothing, in place of a missing reader."""


def _file(of: Format) -> Format | None:
    """Return the readable format of files whose runs have format ``of``, if there is one."""
    files = formats_of(Of.RUNS).values()
    return next((file for file in files if file.line == of.id and file.is_read), None)


def _write(of: Format, write: RunWriter, stored: tuple[bytes, bytes]) -> bytes:
    """Return a run in a format; empty if it cannot represent the run."""
    document, spans = stored
    try:
        return write(Stored(document, spans if of.needs_spans else b"[]"), Losses())
    except NotHeldError:
        return b""


def _read(of: Format, file: Format, body: bytes) -> None:
    lines = body.splitlines() if of.suffix == ".jsonl" else [body]
    values = [Located("line 1", orjson.loads(line)) for line in lines]
    for _ in file.load_reader().read(values, Reading(of.id)):
        pass


def _memory(scale: Scale, folder: Path) -> Iterator[Row]:
    """Yield rows that compare the peak memory of files with few and with many runs."""
    few, many = scale.converted_runs
    files = [write_runs(folder / f"{count}.jsonl", count) for count in (few, many)]
    for name in _TO:
        small, large = (run_apart(convert, path, name) for path in files)
        behind = f"{small / MIB:.0f} and {large / MIB:.0f} MiB; "
        behind += f"the longer file has {files[1].stat().st_size / MIB:.0f} MiB"
        measure = f"converting {many:,} runs to {name}: peak RSS ÷ that of {few:,}"
        yield Row(measure, large / small, at_most(MAX_GROWTH), behind)


def write_runs(path: Path, count: int) -> Path:
    """Write a file of documents that differ only in their ids."""
    text = orjson.dumps(planner())
    old = planner()["id"].encode()
    with path.open("wb") as file:
        for number in range(1, count + 1):
            file.write(text.replace(old, b"%032x" % number) + b"\n")
    return path


def convert(path: Path, to: str) -> int:
    """Convert a file; return the peak memory of this process in bytes."""
    wanted = formats_of(Of.RUN)[to]
    converting = Conversion(wanted, lambda *_: None, lambda *_: None)
    converting.convert(path.name, path, find_source(path))
    converting.finish()
    return peak_rss_bytes()


def _import(starts: int) -> Row:
    """Return the cost of importing the package, in starts of Python."""
    bare, whole = (min(_start_s(code) for _ in range(starts)) for code in ("", "import spanloom"))
    behind = f"{(whole - bare) * 1e3:.1f} ms on top of {bare * 1e3:.1f} ms"
    return Row("import spanloom ÷ a start of Python", whole / bare, at_most(MAX_IMPORT), behind)


def _start_s(code: str) -> float:
    start = time.monotonic()
    subprocess.run([sys.executable, "-c", code], check=True)
    return time.monotonic() - start
