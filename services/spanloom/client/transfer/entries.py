"""Reads annotations from files of Spanloom or Potato; a bad entry does not affect others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from spanloom.client.transfer.parts import why
from spanloom.core.errors import InvalidRequestError
from spanloom.core.exchange.values import THE_FILE, parse, split
from spanloom.core.formats.entry import Of
from spanloom.core.formats.readers import Refused, an_object
from spanloom.core.formats.registry import formats_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

Entry: TypeAlias = "dict[str, Any]"  # parsed JSON
EntryReader: TypeAlias = "Callable[[Iterable[Path], Path | None], Iterator[Entry | Refused]]"
"""Reads entries from files or folders, and refuses bad entries; step ids come from a file of items,
if there is one.
"""


def read_entries(file: Path, items: Path | None) -> tuple[list[Entry], list[Refused]]:
    """Return the entries in a file of JSON lines or of Potato, and the refused entries."""
    kind = "jsonl" if file.is_file() and file.suffix in (".jsonl", ".ndjson") else "potato"
    read: EntryReader = formats_of(Of.ANNOTATIONS)[kind].load_reader()
    entries: list[Entry] = []
    refused: list[Refused] = []
    try:
        for found in read([file], items):
            if isinstance(found, Refused):
                refused.append(found)
            else:
                entries.append(found)
    except KeyError as error:
        refused.append(Refused(THE_FILE, f"there is no {error}"))
    except (ValueError, OSError) as error:
        refused.append(Refused(THE_FILE, why(error)))
    return entries, refused


def read_lines(files: Iterable[Path], _items: Path | None) -> Iterator[Entry | Refused]:
    """Yield the entries in files of JSON lines, one per line, and a refusal for each bad line."""
    for file in files:
        with file.open("rb") as opened:
            for place, text, fault in split(opened, lambda _: True):
                yield _entry(place, text, fault)


def _entry(place: str, text: bytes, fault: str) -> Entry | Refused:
    try:
        return Refused(place, fault) if fault else an_object(parse(text)[0], "the entry")
    except InvalidRequestError as error:
        return Refused(place, str(error))
