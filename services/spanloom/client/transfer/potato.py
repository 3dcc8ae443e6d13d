"""Writes annotation tasks for Potato into a folder, and reads annotations from its files.

Potato is a separate program, of which no code is imported here.
"""

from __future__ import annotations

from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING, Any

from spanloom.client.transfer.parts import why
from spanloom.core.annotation.potato.entries import steps_of_items
from spanloom.core.annotation.potato.files import ITEMS_FILE
from spanloom.core.annotation.potato.folder import STATE_FILE, TaskWriter, entries_in, naming
from spanloom.core.exchange.values import THE_FILE
from spanloom.core.formats.readers import Refused

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    Json = dict[str, Any]  # JSON values


def write_task(
    folder: Path,
    documents: Iterable[Json],
    schemes: Sequence[Json],
    entries: Iterable[Json],
    *,
    with_agents: bool = False,
) -> int:
    """Write a task and its annotations into a folder; return the number of users.

    Create an account in Potato before you copy a user's folder there, because Potato does not
    register a name whose folder exists.
    """
    by_run: dict[str, list[Json]] = {}
    for entry in entries:
        by_run.setdefault(entry["trace_id"], []).append(entry)

    def create(path: str) -> IO[bytes]:
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        return place.open("wb")

    with TemporaryFile() as scratch:
        writer = TaskWriter(folder.name, create, scratch, with_agents=with_agents)
        for document in documents:
            writer.add(document, by_run.get(document["id"], ()))
        return sum(path.endswith(STATE_FILE) for path in writer.finish(schemes))


def read_potato(paths: Iterable[Path], items: Path | None = None) -> Iterator[Json | Refused]:
    """Yield annotation entries to import, read from Potato's files and folders.

    Steps get Spanloom's ids if the items have them: the items in ``items``, by default
    ``items.json`` next to or above the files. A file that is not from Potato is refused, and the
    other files of its folder are read. Raises ``ValueError`` for a bad file of items.
    """
    for path in paths:
        files = sorted(path.rglob(STATE_FILE)) if path.is_dir() else [path]
        order = _order(items or _items_near(path))
        for file in files:
            try:
                yield from _entries(file, order)
            except ValueError as error:
                yield Refused(
                    str(file.relative_to(path)) if path.is_dir() else THE_FILE, why(error)
                )


def _order(items: Path | None) -> Mapping[str, Sequence[str]]:
    if items is None:
        return {}
    content = items.read_bytes()
    with naming(items.name, content):
        return steps_of_items(content)


def _entries(file: Path, order: Mapping[str, Sequence[str]]) -> Sequence[Json]:
    content = file.read_bytes()
    with naming("", content):
        return list(entries_in(file.as_posix(), content, order))


def _items_near(path: Path) -> Path | None:
    folder = path if path.is_dir() else path.parent
    places = (place / ITEMS_FILE for place in (folder, *list(folder.parents)[:2]))
    return next((place for place in places if place.is_file()), None)
