"""What annotators said in files of Potato's."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from spanloom.core.annotation.potato.entries import entry_of, steps_of_items
from spanloom.core.annotation.potato.task import ITEMS_FILE
from spanloom.core.annotation.potato.users import read_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

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
