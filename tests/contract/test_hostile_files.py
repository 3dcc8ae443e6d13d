"""Broken and hostile files of every readable format give one clear error each, within bounds."""

from __future__ import annotations

import gzip
import tracemalloc
from typing import TYPE_CHECKING

import orjson
import pytest
from tests.support.conversions import convert, filed, in_lines, read
from tests.support.drafted import planner

from spanloom.client.transfer.items import Item, find_source, read_items
from spanloom.client.transfer.otlp_file import Unreadable, read_pieces
from spanloom.core.exchange import elements, values
from spanloom.core.formats.entry import Filed, Format, Of
from spanloom.core.formats.losses import Code
from spanloom.core.formats.readers import Taken
from spanloom.core.formats.registry import formats_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from tests.support.conversions import Found

    Encode = Callable[[bytes], bytes]

READ = [f for f in formats_of(Of.RUNS).values() if f.is_written and not f.writer and f.is_read]
every_format = pytest.mark.parametrize("known", READ, ids=lambda known: known.id)


@every_format
@pytest.mark.parametrize(
    ("encode", "reason"),
    [
        (lambda _: b"", values.EMPTY),
        (lambda _: b" \n\n", values.EMPTY),
        (lambda _: gzip.compress(b""), values.EMPTY),
        (lambda text: text.decode().encode("utf-16"), values.UTF_16),
        (lambda text: text.decode().encode("utf-16-be"), values.UTF_16),
        (lambda text: gzip.compress(text)[:-12], "it is no whole gzip file"),
        (lambda text: b"\xef\xbb\xbf" + text[: len(text) // 2], ""),
        (lambda text: bytes(byte ^ 0x80 for byte in text), ""),
    ],
    ids=["empty", "blank", "nothing", "utf-16", "utf-16-be", "cut gzip", "half", "no text"],
)
def test_what_is_wrong_with_a_file_is_a_line(
    known: Format, tmp_path: Path, encode: Encode, reason: str
) -> None:
    text, path = written(known, tmp_path), tmp_path / "bad"
    path.write_bytes(encode(text))
    for named in (known.id, ""):
        found = read(path, named)
        assert found.refused
        assert_plain(found)
        assert any(reason in one["reason"] for one in found.refused)


@every_format
def test_a_gzipped_file_is_read(known: Format, tmp_path: Path) -> None:
    text, path = written(known, tmp_path), tmp_path / "file"
    path.write_bytes(text)
    plain = read(path, known.id)
    path.write_bytes(gzip.compress(text))
    assert read(path, known.id) == plain == read(path)


@every_format
def test_lone_surrogates_are_replaced_and_counted(known: Format, tmp_path: Path) -> None:
    path = tmp_path / "bad"
    path.write_bytes(written(known, tmp_path).replace(b"Bergen?", b"\\ud800"))
    for named in (known.id, ""):
        taken = [found for found, _ in items_of(path, named) if isinstance(found, Taken)]
        if known.id == "otlp":
            assert not read(path, named).refused
            continue
        (run,) = taken
        assert run.losses.counts[Code.VALUE_TRUNCATED] == 1
        assert "\ufffd" in orjson.dumps(run.document).decode()


@every_format
@pytest.mark.parametrize("depth", [200, 2_000])
def test_depth_is_taken_or_refused(known: Format, depth: int, tmp_path: Path) -> None:
    """Deeply nested JSON in place of any text of a run is read or refused in one line."""
    deep = b"[" * depth + b"]" * depth
    text, path = written(known, tmp_path), tmp_path / "bad"
    for place in (b'"Oslo."', b'"dry"', b'"planner"', b'"Oslo or Bergen?"'):
        path.write_bytes(text.replace(place, deep))
        for named in (known.id, ""):
            assert_plain(read(path, named))
            pieces = read_pieces(path, None, find_source(path, named))
            assert all("\n" not in one.reason for one in pieces if isinstance(one, Unreadable))


@every_format
def test_a_line_that_is_too_long_is_never_in_memory(
    known: Format, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A gzipped file unpacks to a line of 4 MiB; reading it allocates less than 1 MiB."""
    text, path = written(known, tmp_path), tmp_path / "bomb"
    monkeypatch.setattr(elements, "MAX_BYTES", 64 << 10)
    monkeypatch.setattr(elements, "PIECE_BYTES", 4 << 10)
    monkeypatch.setattr(values, "FIRST_BYTES", 4 << 10)
    bomb = b'{"a": "' + b"x" * (4 << 20) + b'"}'
    if known.filed is Filed.ARRAY:
        text = b"[" + bomb + b"," + text.strip()[1:]
    else:
        text = bomb + b"\n" + text
    path.write_bytes(gzip.compress(text, 1))
    tracemalloc.start()
    found = read(path, known.id)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 1 << 20
    assert found.refused[0]["reason"] == elements.TOO_LONG
    assert_plain(found)


def test_bad_items_are_named_without_end(tmp_path: Path) -> None:
    path = tmp_path / "bad"
    path.write_bytes(b"no JSON\n" * 5_000 + in_lines([planner()]))
    found = read(path)
    assert [one["id"] for one in found.documents] == [planner()["id"]]
    assert len(found.refused) == 5_000


def written(known: Format, folder: Path) -> bytes:
    path = folder / "planner.jsonl"
    path.write_bytes(in_lines([planner()]))
    (text,) = filed(convert(path, known).bodies, known)
    return text


def items_of(path: Path, named: str) -> Sequence[Item]:
    return list(read_items(path, find_source(path, named), None, as_new=False))


def assert_plain(found: Found) -> None:
    for one in found.refused:
        assert one["place"]
        assert one["reason"]
        assert "\n" not in one["reason"]
        assert len(one["reason"]) < 400
