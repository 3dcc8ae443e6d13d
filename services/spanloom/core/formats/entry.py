"""Defines ``Format``, the declaration of a format, and functions that create declarations."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, Flag, auto
from importlib.util import find_spec
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

JSON = "application/json"
NDJSON = "application/x-ndjson"
CSV = "text/csv"
ARROW = "application/vnd.apache.arrow.stream"
PARQUET = "application/vnd.apache.parquet"
HTML = "text/html; charset=utf-8"

LIBRARIES = {"arrow": "pyarrow"}
"""The module that each optional extra installs (``pip install 'spanloom[arrow]'``)."""


class Of(Enum):
    """The content that a format writes or reads."""

    RUN = "one run"
    RUNS = "many runs in a file"
    ROWS = "rows of a list"
    ANNOTATIONS = "annotations"
    CONVERSATION = "a conversation"


class Via(Flag):
    """A way in which a user chooses a format."""

    QUERY = auto()
    """The query parameter ``?format=`` of the API."""
    ACCEPT = auto()
    """The ``Accept`` header."""
    SHELL = auto()
    """The option ``--format`` of ``spanloom export`` or ``spanloom annotations export``."""
    PATH = auto()
    """A separate path of the API (``Format.path``)."""


class Filed(Enum):
    """The layout in which a file contains the runs of a list."""

    LINES = "a line for each run"
    SPREAD = "a line for each item of a run, which is a list"
    ARRAY = "one JSON array with the items of all runs"
    FOLDER = "a folder with a file for each run, named by its trace id"
    LOG = "one log with the samples of all runs"


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """Declares a format; ``of`` is what it writes or reads, and ``id`` and ``of`` identify it.

    ``writer`` and ``reader`` are names, ``module:object``, which are imported on first use. So the
    core can name objects of higher layers, and a large library is loaded only if it is needed. An
    empty name means that Spanloom does not write, or not read, the format. The type of the named
    objects depends on ``of``:

    - ``RUN``: the writer is a ``RunWriter`` (``stored.py``);
    - ``RUNS``: the writer makes the file from pairs of a list row and a document
      (``client/transfer/tables.py``). It is empty if each run is written in the format ``line``,
      and ``filed`` declares how the file contains the runs. The reader is a ``Reader``
      (``readers.py``); if ``magic`` is set, it reads a file of documents, and for OTLP it reads
      ``resourceSpans``;
    - ``ROWS``: the writer is a subclass of ``Form`` (``api/rows/forms.py``);
    - ``ANNOTATIONS``: the writer is a ``LineWriter`` (``annotation/entries.py``) for ``?format=``,
      a ``Form`` for a table; the reader is an ``EntryReader`` (``client/transfer/entries.py``).
    """

    id: str
    """The name for users; lower case, stable."""
    of: Of
    media_type: str
    suffix: str
    """The suffix of a file, with the dot; empty for a folder."""
    description: str
    """A sentence for users, shown in help, OpenAPI and documentation."""
    via: Via
    writer: str = ""
    reader: str = ""
    streams: bool = False
    """Whether output is sent or written in chunks, so that its size does not matter."""
    extra: str = ""
    """The optional extra that the format needs: a key of ``LIBRARIES``."""
    path: str = ""
    """The last segment of the format's separate API path."""
    needs_spans: bool = False
    """Whether the writer gets the classified spans; otherwise their list is empty."""
    has_scores: bool = False
    """Whether the writer gets the scores of the run; otherwise their list is empty."""
    line: str = ""
    """The id of the format in which each single run is written in the file."""
    filed: Filed = Filed.LINES
    """How the file contains the runs."""
    magic: bytes = b""
    """The first bytes of a file, if they identify the format."""
    unpacker: str = ""
    """If ``magic`` is set: the name of a function that takes the path of a file.

    If there is a ``reader``, the function yields the position of each record, its JSON text, and
    why it cannot be read; otherwise it yields documents.
    """
    has_constants: bool = False
    """Whether numbers in a file may be NaN and Infinity, which JSON does not have."""
    has_rows: bool = False
    """Whether the lines are objects with equal members, so that a table can hold them."""
    side_files: str = ""
    """The name of a function that takes the file's name, ``runs.jsonl``.

    It returns the contents, keyed by name, of files to write next to that file.
    """
    named: str = ""
    """The name of the file if ``-o`` names a folder: ``items.json``."""
    counts_corrections: bool = False
    """Whether the lines are corrected answers; if so, omitted corrections are counted."""

    @property
    def is_written(self) -> bool:
        """Whether Spanloom writes the format."""
        return bool(self.writer or self.line)

    @property
    def is_read(self) -> bool:
        """Whether Spanloom reads the format."""
        return bool(self.reader)

    @property
    def is_installed(self) -> bool:
        """Whether the library that the format needs is installed; checked without loading it."""
        return not self.extra or find_spec(LIBRARIES[self.extra]) is not None

    def target(self, path: Path) -> Path:
        """Return the file with the runs; ``path`` may be the folder that contains it."""
        return path / self.named if self.named else path

    def side_files_of(self, name: str) -> Mapping[str, bytes]:
        """Return the contents, keyed by name, of the files to write next to a file of this name."""
        files: Mapping[str, bytes] = resolve_name(self.side_files)(name) if self.side_files else {}
        return files

    def load_writer(self) -> Any:  # the type depends on the subject
        """Import and return the writer."""
        return resolve_name(self.writer)

    def load_reader(self) -> Any:  # the type depends on the subject
        """Import and return the reader."""
        return resolve_name(self.reader)


class OfFile(TypedDict, total=False):
    """Optional fields of a file of many runs; see ``Format``."""

    reader: str
    filed: Filed
    magic: bytes
    unpacker: str
    has_constants: bool
    has_rows: bool
    side_files: str
    named: str


def document_with_file(
    name: str,
    description: str,
    writer: str,
    *,
    lines: str,
    file: str = "",
    needs_spans: bool = False,
    has_scores: bool = False,
    in_lines: bool = False,
    **of_file: Unpack[OfFile],
) -> Sequence[Format]:
    """Declare a format for one run, and the format for a file of many runs.

    ``lines`` is the description of the file format; ``file`` is its id, by default ``name``.
    ``in_lines``: one run is several lines of JSON, not one value.
    """
    document = Format(
        id=name,
        of=Of.RUN,
        media_type=NDJSON if in_lines else JSON,
        suffix=".jsonl" if in_lines else ".json",
        description=description,
        via=Via.QUERY,
        writer=writer,
        needs_spans=needs_spans,
        has_scores=has_scores,
    )
    filed = of_file.get("filed", Filed.LINES)
    has_lines = filed in (Filed.LINES, Filed.SPREAD)
    is_folder = filed is Filed.FOLDER or bool(of_file.get("named"))
    return document, file_of_runs(
        file or name,
        lines,
        line=name,
        media_type=NDJSON if has_lines else JSON,
        suffix=".jsonl" if has_lines else "" if is_folder else ".json",
        streams=True,
        **of_file,
    )


def file_of_runs(
    name: str,
    description: str,
    *,
    line: str,
    media_type: str = NDJSON,
    suffix: str = ".jsonl",
    writer: str = "",
    streams: bool = False,
    extra: str = "",
    **of_file: Unpack[OfFile],
) -> Format:
    """Declare a format for a file of many runs, by default lines of JSON."""
    return Format(
        id=name,
        of=Of.RUNS,
        media_type=media_type,
        suffix=suffix,
        description=description,
        via=Via.SHELL,
        line=line,
        writer=writer,
        streams=streams,
        extra=extra,
        **of_file,
    )


def rows_as(name: str, media_type: str, description: str, writer: str, extra: str = "") -> Format:
    """Declare a format for the rows of a list."""
    return Format(
        id=name,
        of=Of.ROWS,
        media_type=media_type,
        suffix=f".{name}",
        description=description,
        via=Via.ACCEPT,
        writer=writer,
        streams=True,
        extra=extra,
    )


def annotations_as(
    name: str,
    description: str,
    writer: str,
    *,
    media_type: str = NDJSON,
    suffix: str = ".jsonl",
    via: Via = Via.QUERY | Via.SHELL,
    reader: str = "",
    path: str = "",
    extra: str = "",
    counts_corrections: bool = False,
) -> Format:
    """Declare a format for annotations, by default lines of JSON."""
    return Format(
        id=name,
        of=Of.ANNOTATIONS,
        media_type=media_type,
        suffix=suffix,
        description=description,
        via=via,
        writer=writer,
        reader=reader,
        path=path,
        extra=extra,
        counts_corrections=counts_corrections,
        streams=True,
    )
