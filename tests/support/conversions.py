"""Converts documents and files in this process, and finds the validators of formats."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson
import pytest
from tests.support.extracted_captures import extract_capture
from tests.support.ground_truth import all_captures

from spanloom.client.transfer.converting import Conversion
from spanloom.client.transfer.items import find_source
from spanloom.core.exchange.files import Layout
from spanloom.core.exchange.reports import Report
from spanloom.core.formats.entry import Filed, Of
from spanloom.core.formats.registry import formats_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from spanloom.core.formats.entry import Format

Json = dict[str, Any]
ROOM = "tests.support.exchange_validators"


class Converted(NamedTuple):
    """The files of a conversion: one, or one for each run if the format requires it."""

    files: Sequence[bytes]
    bodies: Sequence[bytes]
    report: Report
    told: Sequence[tuple[str, str, str]]

    def values(self) -> list[Any]:
        """Return the JSON values of all bodies, line by line if they have lines."""
        return [_values(body) for body in self.bodies]


class Found(NamedTuple):
    """The result of reading a file."""

    documents: Sequence[Json]
    refused: Sequence[Json]
    """Position and reason of each refused item."""


@cache
def captured_runs(*, every: bool) -> Sequence[Json]:
    """Return the documents of one captured run of each dialect, or of all captured runs."""
    captures = all_captures()
    chosen = captures if every else {c.dialect: c for c in reversed(captures)}.values()
    return [answer.document for capture in chosen for answer in extract_capture(capture)]


def in_lines(documents: Sequence[Json]) -> bytes:
    """Return canonical documents as a file of JSON lines."""
    return b"".join(orjson.dumps(one) + b"\n" for one in documents)


def convert(path: Path, to: Format, named: str = "") -> Converted:
    """Convert a file to a file format, as the command does."""
    bodies: list[bytes] = []
    told: list[tuple[str, str, str]] = []
    source = find_source(path, named)
    conversion = Conversion(
        formats_of(Of.RUN)[to.line],
        lambda _id, _project, body: bodies.append(body),
        lambda *found: told.append(found),
        report=Report(source.name, to.line),
    )
    conversion.convert(path.name, path, source)
    conversion.finish()
    return Converted(filed(bodies, to), bodies, conversion.report, told)


def filed(bodies: Sequence[bytes], to: Format) -> Sequence[bytes]:
    """Return the files in a format that contain the bodies of several runs."""
    if to.filed is Filed.FOLDER:
        return bodies
    layout = Layout(to.filed)
    added = b"".join(map(layout.add, bodies))
    return [added + layout.end]


def read(path: Path, named: str = "") -> Found:
    """Return the canonical documents of a file, and the refusals."""
    made = convert(path, formats_of(Of.RUNS)["jsonl"], named)
    return Found(list(map(orjson.loads, made.bodies)), made.report.rejected)


def validator_of(name: str) -> Callable[[bytes], None] | None:
    """Return the check of a run in a format by the real tool; skip the test if it is missing."""
    module = f"{ROOM}.{name.replace('-', '_')}"
    if find_spec(module) is None:
        return None
    try:
        check: Callable[[bytes], None] = import_module(module).check
    except ImportError as error:
        pytest.skip(f"{name} is not validated: {error}")
    return check


def _values(body: bytes) -> Any:
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        return [orjson.loads(line) for line in body.splitlines()]
