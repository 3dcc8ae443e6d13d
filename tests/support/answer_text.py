"""API responses as text with one fact per line."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
from tests.support.command_output import WIDTH
from tests.support.goldens import pretty
from tests.support.read_outline import decode_outline

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    import httpx

_UNTOLD = {
    "connection",
    "content-encoding",
    "content-length",
    "date",
    "server",
    "transfer-encoding",
}
"""Transport headers, which are left out."""
_TAGS = {"etag": "<tag>"}
"""Headers whose values depend on times of this test run."""


def answer_text(answer: httpx.Response) -> str:
    """Return status, headers and body."""
    kind = answer.headers.get("content-type", "").partition(";")[0]
    headers = sorted(answer.headers.items())
    head = [f"{name}: {_TAGS.get(name, value)}" for name, value in headers if name not in _UNTOLD]
    return "\n".join(
        [str(answer.status_code), *head, "", _READERS.get(kind, _json)(answer.content)]
    )


def _json(body: bytes) -> str:
    return pretty(json.loads(body))


def _ndjson(body: bytes) -> str:
    return "".join(_json(line) for line in body.splitlines())


def _text(body: bytes) -> str:
    """Return a text with visible carriage returns."""
    return body.decode().replace("\r", "\\r")


def _metrics(body: bytes) -> str:
    """Return the declarations of the metrics without their values, which vary.

    ``…_created`` is left out, because for a counter with labels it is missing until the first
    count.
    """
    lines = (line for line in body.decode().splitlines() if line.startswith("# "))
    return "".join(f"{line}\n" for line in lines if not line.split()[2].endswith("_created"))


def _arrow(body: bytes) -> str:
    return _table(pa.ipc.open_stream(body).read_all())


def _parquet(body: bytes) -> str:
    return _table(pq.read_table(io.BytesIO(body)))


def _table(table: pa.Table) -> str:
    """Return the schema with its metadata, then the rows."""
    rows = "".join(json.dumps(row, default=str, indent=1) + "\n" for row in table.to_pylist())
    return f"{table.schema.to_string(show_schema_metadata=False)}\n{rows}"


def _outline(body: bytes) -> str:
    """Return the header, then the numbers of each row."""
    outline = decode_outline(body)
    names = [*outline.columns]
    rows = zip(*(outline.columns[name] for name in names), strict=True)
    lines = [" ".join(names), *(" ".join(map(str, row)) for row in rows)]
    return pretty(outline.header) + "\n".join(lines) + "\n"


def _html(body: bytes) -> str:
    """Return the hash of the page, and the texts in it."""
    parser = _Texts()
    parser.feed(body.decode())
    return "\n".join([_hashed(body), *parser.texts]) + "\n"


class _Texts(HTMLParser):
    """Collects texts, except those of scripts and styles."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._hidden = False

    def handle_starttag(self, tag: str, _attrs: object) -> None:
        self._hidden = tag in ("script", "style")

    def handle_endtag(self, _tag: str) -> None:
        self._hidden = False

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.texts += [line for line in map(str.strip, data.splitlines()) if line]


def _zip(body: bytes) -> str:
    """Return each file with its text."""
    with zipfile.ZipFile(io.BytesIO(body)) as packed:
        return "".join(f"=== {n}\n{packed.read(n).decode()}\n" for n in packed.namelist())


def _bytes(body: bytes) -> str:
    return _hashed(body) + "\n"


def _hashed(body: bytes) -> str:
    return f"{len(body)} bytes, sha256 {hashlib.sha256(body).hexdigest()}"


_READERS: Mapping[str, Callable[[bytes], str]] = {
    "application/vnd.apache.arrow.stream": _arrow,
    "application/vnd.apache.parquet": _parquet,
    "application/vnd.spanloom.outline": _outline,
    "application/x-ndjson": _ndjson,
    "application/x-protobuf": _bytes,
    "application/zip": _zip,
    "text/csv": _text,
    "text/html": _html,
    "text/plain": _metrics,
}


def file_text(path: Path) -> str:
    """Return the content of a file that a command has written, as text."""
    body = path.read_bytes()
    match path.suffix:
        case ".parquet":
            return _parquet(body)
        case ".arrow":
            return _table(pa.ipc.open_file(body).read_all())
        case ".jsonl":
            return _ndjson(body)
        case _:
            return _text(body)


def shown_json(printed: str) -> str:
    """Return an output in which JSON longer than a line has one value per line."""
    lines = printed.replace("\r", "\\r").split("\n")
    return "\n".join(_json(line.encode())[:-1] if _is_long_json(line) else line for line in lines)


def _is_long_json(line: str) -> bool:
    return len(line) > WIDTH and line.startswith(("{", "["))
