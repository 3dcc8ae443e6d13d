"""Exported runs form a complete file, also when an export resumes after an interruption."""

from __future__ import annotations

import orjson
import pytest

from spanloom.core.exchange.files import Layout
from spanloom.core.formats.entry import Filed

BODIES = [b'[{"index":0,"a":1},{"index":1}]', b"[]", b'[{"index":0,"b":2},"text"]', b'{"c":3}']
FILES = {
    Filed.LINES: b"".join(body + b"\n" for body in BODIES),
    Filed.SPREAD: b'{"index":0,"a":1}\n{"index":1}\n{"index":2,"b":2}\n"text"\n{"c":3}\n',
    Filed.ARRAY: b'[\n{"index":0,"a":1},{"index":1},\n{"index":0,"b":2},"text",\n{"c":3}\n]\n',
    Filed.FOLDER: b"".join(BODIES),
}


@pytest.mark.parametrize("filed", FILES)  # for logs see unit/exchange/inspect
@pytest.mark.parametrize("cut", range(len(BODIES) + 1))
def test_a_file_goes_on_where_it_was(filed: Filed, cut: int) -> None:
    first = Layout(filed)
    before = b"".join(map(first.add, BODIES[:cut]))
    then = Layout(filed, first.items)
    after = b"".join(map(then.add, BODIES[cut:]))
    assert before + after + then.end == FILES[filed]


def test_an_array_without_items_is_an_array() -> None:
    layout = Layout(Filed.ARRAY)
    assert layout.add(b" [ ] ") + layout.end == b"[]\n"
    assert orjson.loads(FILES[Filed.ARRAY])[2]["b"] == 2
