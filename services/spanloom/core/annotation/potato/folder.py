"""A folder for Potato: a task written run by run, and annotations read back."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import PurePosixPath
from typing import IO, TYPE_CHECKING, Any

import orjson

from spanloom.core.annotation.potato.entries import answers_by_user, entry_of, steps_of_items
from spanloom.core.annotation.potato.task import (
    ITEMS_FILE,
    OUTPUT,
    list_steps,
    write_config,
    write_item,
)
from spanloom.core.annotation.potato.users import labels_of, read_file, write_user_state

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence


if TYPE_CHECKING:
    Json = dict[str, Any]  # as JSON gives and takes it


_ZIP = b"PK\x03\x04"


def read_files(files: Mapping[str, bytes]) -> Iterator[Json]:
    """Yield entries for an import from files by their paths.

    Steps get our ids where a file of items is among them. Raises ``ValueError`` with the path of a
    file that is none of Potato's.
    """
    order: dict[str, Sequence[str]] = {}
    for path, content in files.items():
        if is_items(path):
            with _naming(path, content):
                order |= steps_of_items(content)
    for path, content in files.items():
        if is_items(path):
            continue
        with _naming(path, content):
            for said in read_file(path, content):
                annotator = said["annotator"] or PurePosixPath(path).parent.name
                yield entry_of({**said, "annotator": annotator}, order.get(said["item"]))


@contextmanager
def _naming(path: str, content: bytes) -> Iterator[None]:
    """Say of which file it is that it cannot be read."""
    try:
        yield
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        is_zip = content.startswith(_ZIP)
        told = (
            "a ZIP: unpack it, and give its folder" if is_zip else f"no file of Potato's: {error}"
        )
        raise ValueError(f"{path}: {told}") from error


def is_items(path: str) -> bool:
    """Return whether a path is that of a task's items."""
    return PurePosixPath(path).name == ITEMS_FILE


STATE_FILE = "user_state.json"
CONFIG_FILE = "config.yaml"


class TaskWriter:
    """Takes one run after the other; holds the ids of all, and of one run what it says.

    What users say waits in a scratch file until their own files are written, one at a time.
    """

    def __init__(
        self,
        name: str,
        create: Callable[[str], IO[bytes]],
        scratch: IO[bytes],
        *,
        with_agents: bool = False,
    ) -> None:
        """Take what creates a file of a path, of which one is open at a time, and a scratch file.

        Both files belong to the writer's caller; those created are closed by the writer.
        """
        self._name = name
        self._create = create
        self._scratch = scratch
        self._with_agents = with_agents
        self._ids: list[str] = []
        self._said: dict[str, list[tuple[int, int]]] = {}
        self._items = create(ITEMS_FILE)
        self._items.write(b"[")

    def add(self, document: Json, entries: Iterable[Json]) -> None:
        """Write a run, and take what annotators say of it."""
        trace_id = document["id"]
        order = [step["id"] for step, _ in list_steps(document, with_agents=self._with_agents)]
        item = write_item(document, with_agents=self._with_agents)
        self._items.write((b",\n" if self._ids else b"\n") + orjson.dumps(item))
        self._ids.append(trace_id)
        for user, answers in answers_by_user(entries, {trace_id: order}).items():
            labels = orjson.dumps(labels_of(answers[trace_id]))
            text = orjson.dumps(trace_id) + b":" + labels
            self._said.setdefault(user, []).append((self._scratch.tell(), len(text)))
            self._scratch.write(text)

    def finish(self, schemes: Sequence[Json]) -> Iterator[str]:
        """Write the rest; yield the path of each file behind the items as it is written."""
        self._items.write(b"\n]\n")
        self._items.close()
        with self._create(CONFIG_FILE) as file:
            config = write_config(self._name, schemes, self._said)
            file.write(orjson.dumps(config, option=orjson.OPT_INDENT_2) + b"\n")
        yield CONFIG_FILE
        for user, path in _paths(self._said).items():
            with self._create(path) as file:
                self._write_user(user, file)
            yield path

    def _write_user(self, user: str, file: IO[bytes]) -> None:
        """Write a state whose last member, what the user said, comes from the scratch file."""
        state = orjson.dumps(write_user_state(user, self._ids, {}))
        file.write(state.removesuffix(b"}}"))
        for number, (start, size) in enumerate(self._said[user]):
            self._scratch.seek(start)
            file.write((b",\n" if number else b"\n") + self._scratch.read(size))
        file.write(b"}}\n")


def _paths(users: Iterable[str]) -> Mapping[str, str]:
    """Return where the state of each user goes: each in a folder of its own, and none outside."""
    found: dict[str, str] = {}
    for user in users:
        folder = user.replace("/", "_").replace("\\", "_").lstrip(".") or "_"
        while (path := f"{OUTPUT}/{folder}/{STATE_FILE}") in found.values():
            folder += "_"
        found[user] = path
    return found
