"""A record that a reader cannot read is refused, and hides no other record."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson
import pytest

from spanloom.core.exchange.atif.reading import READER
from spanloom.core.formats.json_bytes import TOO_DEEP, dump
from spanloom.core.formats.readers import UNEXPECTED, EachAlone, Located, Reading, Refused, Taken

if TYPE_CHECKING:
    from collections.abc import Iterable

    from spanloom.core.formats.json_bytes import Json


def _read(value: Any, _reading: Reading) -> Iterable[Json]:  # any JSON value
    return [{"id": value["id"], "shown": dump(value)}]


def read(*values: object) -> list[Taken | Refused]:
    reader = EachAlone(lambda _: True, _read)
    located = [Located(f"line {n}", value) for n, value in enumerate(values, 1)]
    return list(reader.read(located, Reading("made")))


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ({"name": "no id"}, f"{UNEXPECTED}, KeyError: 'id'"),
        ("a text", f"{UNEXPECTED}, TypeError: string indices must be integers"),
        ({"id": "x", "nested": orjson.loads("[" * 400 + "]" * 400)}, TOO_DEEP),
    ],
)
def test_a_record_that_fails_is_refused_alone(bad: object, reason: str) -> None:
    first, refused, last = read({"id": "a"}, bad, {"id": "b"})
    assert isinstance(refused, Refused)
    assert refused.reason.startswith(reason)
    assert [one.document["id"] for one in (first, last) if isinstance(one, Taken)] == ["a", "b"]


def test_calls_that_are_no_list_are_named() -> None:
    step = {"step_id": 1, "source": "agent", "message": "hi", "tool_calls": 7}
    run = {
        "schema_version": "ATIF-v1.4",
        "session_id": "s",
        "agent": {"name": "a"},
        "steps": [step],
    }
    (refused,) = READER.read([Located("line 1", run)], Reading("atif"))
    assert isinstance(refused, Refused)
    assert refused.reason.startswith("steps.0.tool_calls: a list is needed here")
