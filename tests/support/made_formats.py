"""Made-up formats, one for each file layout, to test what all formats share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from spanloom.core.exchange.drafts import Draft, DraftStep, complete
from spanloom.core.exchange.ids import step_id_of, trace_id_of
from spanloom.core.formats import registry
from spanloom.core.formats.entry import Filed, document_with_file
from spanloom.core.formats.json_bytes import dump
from spanloom.core.formats.losses import Code, NotHeldError
from spanloom.core.formats.readers import EachAlone, a_text, an_object
from spanloom.core.model.trajectory import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import pytest

    from spanloom.core.formats.entry import Format
    from spanloom.core.formats.json_bytes import Json
    from spanloom.core.formats.losses import Losses
    from spanloom.core.formats.readers import Reading
    from spanloom.core.formats.stored import Stored

ME = "tests.support.made_formats"
REFUSED = "not for made formats"
"""No made-up format can represent a run with this output."""


def encode_note(stored: Stored, losses: Losses) -> bytes:
    """Return question and answer; times are lost, and any token counts."""
    root = stored.view.root
    if root.output == REFUSED:
        raise NotHeldError(Code.NO_AGENT)
    losses.note(Code.TIMES_DROPPED, "root_step.basic_info")
    losses.note(Code.TEXTS_DROPPED, "agent_steps", sum(1 for _ in stored.view.steps))
    note = {"note": stored.view.id, "asked": root.input, "answered": root.output}
    return dump({**note, "name": root.name})


def encode_notes(stored: Stored, losses: Losses) -> bytes:
    """Return question and answer as a list of one note."""
    return b"[" + encode_note(stored, losses) + b"]"


def encode_indexed(stored: Stored, losses: Losses) -> bytes:
    """Return the note twice, each with an index."""
    note = orjson.loads(encode_note(stored, losses))
    return dump([{"index": n, **note} for n in range(2)])


def _read_note(value: Any, reading: Reading) -> Iterable[Json]:
    note = an_object(value, "the note")
    source = a_text(note.get("note"), "note")
    trace_id = trace_id_of(reading.format, reading.project, source)
    asked, answered = (a_text(note.get(name), name) for name in ("asked", "answered"))
    reading.losses.note(Code.DURATION_UNKNOWN, "root_step.basic_info")
    name = a_text(note.get("name", "note"), "name")
    step = DraftStep(step_id_of(trace_id, "root"), "", Kind.AGENT, name, asked, answered)
    extras = {"metadata": {"source_id": source}}
    yield complete(Draft(trace_id, reading.project, reading.format, [step], extras))


def encode_talk(stored: Stored, losses: Losses) -> bytes:
    """Return id, question and answer as a list of messages."""
    note = orjson.loads(encode_note(stored, losses))
    return dump([{"said": note[name]} for name in ("note", "asked", "answered")])


def _read_talk(value: Any, reading: Reading) -> Iterable[Json]:
    said = [an_object(one, "the talk").get("said") for one in value]
    yield from _read_note(dict(zip(("note", "asked", "answered"), said, strict=False)), reading)


def _is_talk(value: object) -> bool:
    said = value[0] if isinstance(value, list) and value else value
    return isinstance(said, dict) and "said" in said


def _is_note(value: object) -> bool:
    return isinstance(value, dict) and "note" in value and "index" not in value


NOTES = EachAlone(_is_note, _read_note)
OTHER_NOTES = EachAlone(_is_note, _read_note)
TALKS = EachAlone(_is_talk, _read_talk)
MADE: Sequence[Format] = (
    *document_with_file(
        "note",
        "A note.",
        f"{ME}:encode_note",
        lines="A note a line.",
        reader=f"{ME}:NOTES",
        has_rows=True,
        side_files=f"{ME}:beside",
    ),
    *document_with_file(
        "noted",
        "A list of a note.",
        f"{ME}:encode_notes",
        lines="An array of notes.",
        filed=Filed.ARRAY,
    ),
    *document_with_file(
        "spread",
        "Two notes.",
        f"{ME}:encode_indexed",
        lines="A line for each.",
        filed=Filed.SPREAD,
    ),
    *document_with_file(
        "each",
        "A note.",
        f"{ME}:encode_note",
        lines="A file for each.",
        filed=Filed.FOLDER,
        in_lines=True,
    ),
    *document_with_file(
        "talk",
        "A list.",
        f"{ME}:encode_talk",
        lines="A list a line.",
        reader=f"{ME}:TALKS",
    ),
)
AMBIGUOUS: Sequence[Format] = document_with_file(
    "likewise", "A note.", f"{ME}:encode_note", lines="A note a line.", reader=f"{ME}:OTHER_NOTES"
)


def beside(name: str) -> dict[str, bytes]:
    """Return the additional file that is written next to a file of notes, by name."""
    return {f"{name.partition('.')[0]}.about.json": b'{"of":"notes"}\n'}


def register(monkeypatch: pytest.MonkeyPatch, *more: Format) -> None:
    """Add the formats to the registry for one test."""
    monkeypatch.setattr(registry, "REGISTRY", (*registry.REGISTRY, *MADE, *more))
