"""All formats are declared in one list, and every reader and writer that it names exists."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter

import pytest

from spanloom.core.errors import InvalidQueryError
from spanloom.core.formats.entry import LIBRARIES, Format, Of, Via
from spanloom.core.formats.losses import Losses
from spanloom.core.formats.registry import REGISTRY, find_format, formats_of, named_by
from spanloom.core.formats.stored import Stored


def name_of(known: Format) -> str:
    return f"{known.of.name}-{known.id}"


def test_a_format_of_a_subject_is_declared_once() -> None:
    assert set(Counter(map(name_of, REGISTRY)).values()) == {1}


@pytest.mark.parametrize("known", REGISTRY, ids=name_of)
def test_a_declaration_is_complete(known: Format) -> None:
    assert known.id == known.id.lower()
    assert "/" in known.media_type
    assert known.description.endswith(".")
    assert known.is_written or known.is_read
    assert not known.extra or known.extra in LIBRARIES
    assert not known.line or known.line in formats_of(Of.RUN)
    assert bool(known.path) == (Via.PATH in known.via)


@pytest.mark.parametrize("known", REGISTRY, ids=name_of)
def test_its_writer_and_its_reader_are_there(known: Format) -> None:
    if known.writer:
        assert callable(known.load_writer())
    if known.reader:
        assert known.load_reader()


@pytest.mark.service
def test_the_list_imports_no_library_and_no_room() -> None:
    code = (
        "import sys; import spanloom.core.formats.registry; print([m for m in sys.modules"
        " if m == 'pyarrow' or m.startswith('spanloom.') and not m.startswith('spanloom.core')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_canonical_format_is_the_stored_document() -> None:
    stored = Stored(b'{"id":"x"}')
    assert find_format("canonical").load_writer()(stored, Losses()) == stored.document


@pytest.mark.parametrize("name", ["csv", "latest", "html", "otlp", "jsonl", ""])
def test_an_unknown_format_is_refused_with_those_there_are(name: str) -> None:
    with pytest.raises(
        InvalidQueryError, match=f"'{name}' is unknown; known are .*canonical.*coze"
    ):
        find_format(name)


def test_media_types_of_one_description_are_named_together() -> None:
    assert named_by(formats_of(Of.ANNOTATIONS, Via.ACCEPT), "or") == (
        "`application/x-ndjson`: a line for each annotator and run; `text/csv`, "
        "`application/vnd.apache.arrow.stream` or `application/vnd.apache.parquet`: "
        "a row for each step"
    )
