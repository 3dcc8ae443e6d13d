"""The corpus is complete: each of its bad inputs, B1 to B51, has a test case with its number."""

from __future__ import annotations

import re
from pathlib import Path

from tests.support import bad_codings, bad_json, bad_protobuf

ROWS = [*bad_protobuf.rows(), *bad_codings.gzip_rows(), *bad_codings.other_rows(), *bad_json.rows()]
_NUMBER = re.compile(r"def test_b(\d+)_")


def test_every_row_has_a_case() -> None:
    texts = [file.read_text("utf-8") for file in Path(__file__).parent.glob("test_*.py")]
    named = {int(number) for text in texts for number in _NUMBER.findall(text)}
    listed = {int(row.name.partition(" ")[0].removeprefix("B")) for row in ROWS}
    assert named | listed == set(range(1, 52))


def test_no_two_rows_share_a_name() -> None:
    names = [(row.name, row.kind, row.headers.get("Content-Encoding")) for row in ROWS]
    assert len(set(names)) == len(names)
