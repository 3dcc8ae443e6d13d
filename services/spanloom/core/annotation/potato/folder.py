"""Writes the folder of a Potato project, run by run, and reads annotations from its files."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import PurePosixPath
from typing import IO, TYPE_CHECKING, Any

import orjson

from spanloom.core.annotation.potato.entries import answers_by_user, entry_of, steps_of_items
from spanloom.core.annotation.potato.files import (
    ITEMS_FILE,
    OUTPUT,
    labels_of,
    list_steps,
    read_file,
    write_config,
    write_item,
    write_user_state,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence


if TYPE_CHECKING:
    Json = dict[str, Any]  # a JSON object

_ZIP = b"PK\x03\x04"


def read_files(files: Mapping[str, bytes]) -> Iterator[Json]:
    """Yield the entries to import from files, whose contents are keyed by path.

    Steps get their ids in Spanloom if ``files`` includes an items file. Raises ``ValueError``, with
    the path, for a file that is not in a Potato format.
    """
    order: dict[str, Sequence[str]] = {}
    for path, content in files.items():
        if is_items(path):
            with naming(path, content):
                order |= steps_of_items(content)
    for path, content in files.items():
        if is_items(path):
            continue
        with naming(path, content):
            yield from entries_in(path, content, order)


def entries_in(path: str, content: bytes, order: Mapping[str, Sequence[str]]) -> Iterator[Json]:
    """Yield the entries in a file; without a user they are by the name of the file's folder.

    ``order`` has step ids by item, as ``steps_of_items`` returns them. A file that is not in a
    Potato format raises the errors that ``naming`` explains.
    """
    for record in read_file(path, content):
        annotator = record["annotator"] or PurePosixPath(path).parent.name
        yield entry_of({**record, "annotator": annotator}, order.get(record["item"]))


@contextmanager
def naming(path: str, content: bytes) -> Iterator[None]:
    """Re-raise errors in the block as ``ValueError`` that says why a file is unreadable.

    The text begins with the file's path, if there is one.
    """
    try:
        yield
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        is_zip = content.startswith(_ZIP)
        why = (
            "a ZIP file: unpack it, and name its folder"
            if is_zip
            else f"no file of Potato's: {error}"
        )
        raise ValueError(f"{path}: {why}" if path else why) from error


def is_items(path: str) -> bool:
    """Return whether a path names the items file of a task."""
    return PurePosixPath(path).name == ITEMS_FILE


STATE_FILE = "user_state.json"
CONFIG_FILE = "config.yaml"


class TaskWriter:
    """Writes a task run by run; has in memory the ids of all runs, but the content of only one.

    Answers are buffered in a scratch file until the users' files are written, one at a time.
    """

    def __init__(
        self,
        name: str,
        create: Callable[[str], IO[bytes]],
        scratch: IO[bytes],
        *,
        with_agents: bool = False,
    ) -> None:
        """Start the items file.

        ``create`` opens the file at a path for writing; the writer has one open at a time and
        closes it. ``scratch`` belongs to the caller.
        """
        self._name = name
        self._create = create
        self._scratch = scratch
        self._with_agents = with_agents
        self._ids: list[str] = []
        self._spans_of: dict[str, list[tuple[int, int]]] = {}
        self._items = create(ITEMS_FILE)
        self._items.write(b"[")

    def add(self, document: Json, entries: Iterable[Json]) -> None:
        """Write a run as an item, and buffer its annotators' answers."""
        trace_id = document["id"]
        order = [step.id for step in list_steps(document, with_agents=self._with_agents)]
        item = write_item(document, with_agents=self._with_agents)
        self._items.write((b",\n" if self._ids else b"\n") + orjson.dumps(item))
        self._ids.append(trace_id)
        for user, answers in answers_by_user(entries, {trace_id: order}).items():
            labels = orjson.dumps(labels_of(answers[trace_id]))
            text = orjson.dumps(trace_id) + b":" + labels
            self._spans_of.setdefault(user, []).append((self._scratch.tell(), len(text)))
            self._scratch.write(text)

    def finish(self, schemes: Sequence[Json]) -> Iterator[str]:
        """Write the remaining files; yield the path of each after it is written."""
        self._items.write(b"\n]\n")
        self._items.close()
        with self._create(CONFIG_FILE) as file:
            config = write_config(self._name, schemes, self._spans_of)
            file.write(orjson.dumps(config, option=orjson.OPT_INDENT_2) + b"\n")
        yield CONFIG_FILE
        for user, path in _paths(self._spans_of).items():
            with self._create(path) as file:
                self._write_user(user, file)
            yield path

    def _write_user(self, user: str, file: IO[bytes]) -> None:
        """Write a user state; its last member, the answers, is copied from the scratch file."""
        state = orjson.dumps(write_user_state(user, self._ids, {}))
        file.write(state.removesuffix(b"}}"))
        for number, (start, size) in enumerate(self._spans_of[user]):
            self._scratch.seek(start)
            file.write((b",\n" if number else b"\n") + self._scratch.read(size))
        file.write(b"}}\n")


def _paths(users: Iterable[str]) -> Mapping[str, str]:
    """Return the path of each user's state file, in a separate folder below the output folder."""
    paths: dict[str, str] = {}
    for user in users:
        folder = user.replace("/", "_").replace("\\", "_").lstrip(".") or "_"
        while (path := f"{OUTPUT}/{folder}/{STATE_FILE}") in paths.values():
            folder += "_"
        paths[user] = path
    return paths
