"""The format of a value is recognised by its members, and a list of messages is one run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson
import pytest
from tests.support.conversions import read

from spanloom.core.exchange.sources import SeveralFitError, source_of

if TYPE_CHECKING:
    from pathlib import Path

ASKED, ANSWERED = {"question": "wet?"}, {"answer": "dry"}
ROW = {"inputs": ASKED, "outputs": ANSWERED}
TALK = [{"role": "user", "content": "wet?"}, {"role": "assistant", "content": "dry"}]


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ({**ROW, "id": "4c5be5d6"}, "langsmith"),
        ({**ROW, "metadata": {}}, "langsmith"),
        ({**ROW, "created_at": "2026-11-01T00:00:00Z"}, "langsmith"),
        ({"inputs": ASKED, "reference_outputs": ANSWERED}, "langsmith"),
        ({**ROW, "outputs": "dry"}, "mlflow-eval"),
        ({**ROW, "expectations": {}}, "mlflow-eval"),
        ({"id": "a", "task_description": "", "steps": []}, "potato"),
    ],
)
def test_what_only_one_format_has_decides(row: dict[str, Any], expected: str) -> None:
    found = source_of(row)
    assert found is not None
    assert found.id == expected


@pytest.mark.parametrize("row", [ROW, {"inputs": ASKED}, {"inputs": {"messages": TALK}}])
def test_a_row_that_two_formats_have_is_of_neither(row: dict[str, Any]) -> None:
    with pytest.raises(SeveralFitError) as raised:
        source_of(row)
    assert raised.value.ids == ["langsmith", "mlflow-eval"]


@pytest.mark.parametrize("named", ["openai", "invariant"])
def test_a_list_of_messages_is_one_run_however_long(named: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"\n".join(map(orjson.dumps, (TALK[:1], TALK, [{"bad": 1}, *TALK]))))
    found = read(path, named)
    assert len(found.documents) == 2
    assert [one["place"] for one in found.refused] == ["line 3"]
