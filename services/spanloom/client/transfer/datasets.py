"""Imports and exports items of datasets, and makes items from stored runs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import orjson

from spanloom.client.calls.datasets import add_dataset_items, dataset_page
from spanloom.client.transfer.parts import read_parts
from spanloom.core.document import Document
from spanloom.core.errors import InvalidRequestError
from spanloom.core.exchange.values import parse

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

    from spanloom.client.client import Client

    Row = Mapping[str, Any]  # an item, or a step of a document

AT_ONCE = 1_000
"""Items per request."""
_BYTES_AT_ONCE = 24 << 20
"""Maximum bytes of the items in a request; the service accepts 32 MiB."""
MOST_KEPT = 1_000
"""Maximum number of refusals that are stored."""


class PlacedItem(NamedTuple):
    """A row with its position in its file; without a row, the reason why it cannot be read."""

    place: str
    row: Any  # parsed JSON
    reason: str = ""


@dataclass(slots=True)
class SentItems:
    """The numbers of stored, unchanged and rejected items."""

    stored: int = 0
    unchanged: int = 0
    rejected: int = 0
    refused: list[dict[str, str]] = field(default_factory=list)
    """Position and reason of the first rejected items."""

    def refuse(self, place: str, reason: str) -> None:
        """Count a rejected item, and record why."""
        self.rejected += 1
        if len(self.refused) < MOST_KEPT:
            self.refused.append({"place": place, "reason": reason})


def read_rows(path: Path) -> Iterator[PlacedItem]:
    """Yield the rows of a file of JSON lines or one array."""
    for part in read_parts(path, lambda _: True):
        if part.fault or part.is_message:
            yield PlacedItem(part.place, None, part.fault or "it is no JSON")
            continue
        try:
            yield PlacedItem(part.place, parse(part.read)[0])
        except InvalidRequestError as error:
            yield PlacedItem(part.place, None, str(error))


def send_items(
    client: Client, name: str, rows: Iterable[PlacedItem], project: str | None
) -> SentItems:
    """Put rows into the draft of a dataset, in batches; raises ``ClientError``."""
    done = SentItems()
    some: list[PlacedItem] = []
    size = 0
    for row in rows:
        if row.reason:
            done.refuse(row.place, row.reason)
            continue
        weight = len(orjson.dumps(row.row))
        if some and (len(some) >= AT_ONCE or size + weight > _BYTES_AT_ONCE):
            _send(client, name, some, project, done)
            some, size = [], 0
        some.append(row)
        size += weight
    if some:
        _send(client, name, some, project, done)
    return done


def _send(
    client: Client, name: str, some: list[PlacedItem], project: str | None, done: SentItems
) -> None:
    answer = client.ask(add_dataset_items(name, [one.row for one in some], project=project))
    done.stored += answer["stored"]
    done.unchanged += answer["unchanged"]
    for one in answer["refused"]:
        done.refuse(some[one["item"]].place, one["reason"])
    done.rejected += answer["rejected"] - len(answer["refused"])


def list_items(
    client: Client, name: str, *, version: int | None = None, project: str | None = None
) -> Iterator[Row]:
    """Yield the items of a version of a dataset, or of its draft; raises ``ClientError``."""
    cursor: str | None = ""
    while cursor is not None:
        page = client.ask(
            dataset_page(name, version=version, project=project, cursor=cursor or None)
        )
        yield from page["items"]
        cursor = page["next_cursor"]


def item_of_run(document: Row, *, is_input: bool = False) -> Row:
    """Return a run as an item, equal to the item that *Dataset…* on the page makes.

    The run's answer, tool calls and document become the expected values. With ``is_input`` there
    are no expected values: the item only has the input for further runs.
    """
    view = Document(document)
    root, extraction = view.root, view.extraction
    expected = {
        "response": root.output,
        "tool_calls": _tool_calls(view),
        "trajectory": document,
    }
    return {
        "item_key": view.id,
        "input": root.input,
        "expected": {} if is_input else expected,
        "splits": [],
        "metadata": {"name": root.name, "type": view.root_type},
        "source": {
            "trace_id": view.id,
            "project": extraction.project,
            "version": extraction.version,
            "step_id": None,
        },
    }


def _tool_calls(document: Document) -> list[Row]:
    """Return the tools that ran, in the order in which they began."""
    tools = sorted(
        (step for step in document.steps if step.type == "tool"), key=lambda step: step.started_at
    )
    return [{"name": step.name, "arguments": step.input} for step in tools]
