"""Tables that a service sends as Arrow equal those of JSON pages, which older services send."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import httpx
import pyarrow as pa
import pytest

from spanloom import Client
from spanloom.client import NotSpanloomError, QueryError, frames
from spanloom.client.calls.walks import PAGE_ITEMS
from spanloom.core.formats import entry
from spanloom.core.formats.entry import ARROW

if TYPE_CHECKING:
    from tests.unit.client.conftest import World

LIBRARIES = ["arrow", "polars", "pandas"]


class Listening(httpx.BaseTransport):
    """A transport that passes requests on and records the media type that they accept."""

    def __init__(self, inner: httpx.BaseTransport) -> None:
        self._inner = inner
        self.accepted: list[str] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.accepted.append(request.headers["accept"].partition(",")[0])
        return self._inner.handle_request(request)


@pytest.fixture
def listening(world: World) -> Listening:
    for n in range(1, 6):
        world.write(n, conversation="talk" if n == 2 else "")
    return Listening(world.transport)


@pytest.fixture
def asking(listening: Listening) -> Client:
    return Client("http://localhost", transport=listening)


def rows_of(frame: Any) -> list[dict[str, Any]]:  # a table of any library
    if hasattr(frame, "to_arrow"):
        return list(frame.to_arrow().to_pylist())
    table = frame if isinstance(frame, pa.Table) else pa.Table.from_pandas(frame)
    return list(table.to_pylist())


def types_of(frame: Any) -> dict[str, str]:  # a table of any library
    kinds = frame.schema.types if isinstance(frame, pa.Table) else frame.dtypes
    columns = frame.column_names if isinstance(frame, pa.Table) else frame.columns
    return dict(sorted(zip(columns, map(str, kinds), strict=True)))


@pytest.mark.parametrize(
    ("name", "limit", "fields"),
    [
        ("trajectories", None, None),
        ("trajectories", 2, "core,cost,tags,step_counts"),
        ("steps", None, None),
        ("steps", None, "metrics,attributes"),
    ],
)
@pytest.mark.parametrize("library", LIBRARIES)
def test_arrow_and_pages_of_json_make_equal_tables(
    asking: Client,
    listening: Listening,
    library: str,
    name: str,
    limit: int | None,
    fields: str | None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    listing = getattr(asking, name)(limit=limit)
    in_arrow = getattr(listing, f"to_{library}")(fields)
    assert listening.accepted == [ARROW]
    monkeypatch.setattr(entry, "find_spec", lambda _name: None)
    by_pages = getattr(listing, f"to_{library}")(fields)
    assert listening.accepted[1:] == [ARROW, "*/*"]
    assert types_of(in_arrow) == types_of(by_pages)
    assert rows_of(in_arrow) == rows_of(by_pages)
    assert len(rows_of(in_arrow)) == (limit or 5 * (1 + (name == "steps")))


def test_pandas_alone_reads_pages(
    asking: Client, listening: Listening, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(frames, "find_spec", lambda _name: None)
    assert len(asking.trajectories().to_pandas()) == 5
    assert listening.accepted == ["*/*"]


def test_what_is_more_than_a_request_may_ask_for_comes_by_pages(
    asking: Client, listening: Listening
) -> None:
    assert asking.trajectories(limit=PAGE_ITEMS + 1).to_polars().height == 5
    assert asking.conversations().to_polars().height == 1
    assert listening.accepted == ["*/*", "*/*"]


def test_columns_are_chosen_and_what_is_wrong_with_them_is_shown(asking: Client) -> None:
    rows = list(asking.trajectories(limit=1).rows("trace_id,duration"))
    assert rows == [{"trace_id": f"{5:032x}", "duration": "0"}]
    wrong = "name,durtion"
    shown = r"fields: .*did you mean duration.*\n  name,durtion\n       \^{7}$"
    with pytest.raises(QueryError, match=shown):
        list(asking.steps().rows(wrong))
    with pytest.raises(QueryError, match=shown):
        asking.steps().to_arrow(wrong)


def test_a_table_is_awaited_too(world: World) -> None:
    world.write(1)

    async def read() -> tuple[Any, list[dict[str, Any]]]:
        async with world.async_client() as client:
            runs = client.trajectories()
            return await runs.to_arrow("core"), [row async for row in runs.rows("trace_id")]

    found: list[Any] = []

    async def keep() -> None:
        found.append(await read())

    world.run(keep())
    [(table, rows)] = found
    assert (table.num_rows, rows) == (1, [{"trace_id": f"{1:032x}"}])


@pytest.mark.parametrize("library", LIBRARIES)
def test_a_table_that_ends_early_is_not_taken_for_all(world: World, library: str) -> None:
    """Readers of Arrow accept a stream cut after a batch; only its end marker shows the cut."""
    for n in range(1, 4):
        world.write(n)

    class Cutting(httpx.BaseTransport):
        def handle_request(self, request: httpx.Request) -> httpx.Response:
            whole = world.transport.handle_request(request)
            headers = {"content-type": whole.headers["content-type"]}
            return httpx.Response(200, headers=headers, content=whole.read()[:-8])

    with Client("http://localhost", transport=Cutting()) as client:
        read = getattr(client.trajectories(), f"to_{library}")
        with pytest.raises(NotSpanloomError, match="the table ends early"):
            read()
