"""A task for Potato as files by their paths, and what annotators said in such files."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

import orjson

from spanloom.core.annotation.potato.entries import answers_by_user, entry_of, steps_of_items
from spanloom.core.annotation.potato.task import (
    ITEMS_FILE,
    OUTPUT,
    list_steps,
    write_config,
    write_item,
)
from spanloom.core.annotation.potato.users import read_file, write_user_state

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    Json = dict[str, Any]  # as JSON gives and takes it

STATE_FILE = "user_state.json"


def task_files(
    name: str,
    documents: Sequence[Json],
    schemes: Sequence[Json],
    entries: Iterable[Json],
    *,
    with_agents: bool = False,
) -> Mapping[str, bytes]:
    """Return the files of a task: its configuration, its items, and what each user said."""
    items = [write_item(document, with_agents=with_agents) for document in documents]
    order = {
        d["id"]: [s["id"] for s, _ in list_steps(d, with_agents=with_agents)] for d in documents
    }
    answers = answers_by_user(entries, order)
    files: dict[str, object] = {
        "config.yaml": write_config(name, schemes, answers),
        ITEMS_FILE: items,
    }
    for user, of_items in answers.items():
        state = write_user_state(user, list(order), of_items)
        files[f"{OUTPUT}/{_as_folder(user)}/{STATE_FILE}"] = state
    return {path: _dump(content) for path, content in files.items()}


def read_files(files: Mapping[str, bytes]) -> Iterator[Json]:
    """Yield entries for an import from files by their paths.

    Steps get our ids where a file of items is among them. Raises ``ValueError`` for a file that is
    none of Potato's.
    """
    order: dict[str, Sequence[str]] = {}
    for path, content in files.items():
        if is_items(path):
            order |= steps_of_items(content)
    for path, content in files.items():
        if not is_items(path):
            for said in read_file(path, content):
                annotator = said["annotator"] or PurePosixPath(path).parent.name
                yield entry_of({**said, "annotator": annotator}, order.get(said["item"]))


def is_items(path: str) -> bool:
    """Return whether a path is that of a task's items."""
    return PurePosixPath(path).name == ITEMS_FILE


def _as_folder(user: str) -> str:
    """Return a name as that of a folder, in which nothing leads elsewhere."""
    return user.replace("/", "_").replace("\\", "_").lstrip(".") or "_"


def _dump(content: object) -> bytes:
    return orjson.dumps(content, option=orjson.OPT_INDENT_2) + b"\n"
