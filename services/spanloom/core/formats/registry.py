"""Every format a trajectory can be given in, and every file that many can be kept in, by name.

A new format is one file with its encoder, and one line here.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from spanloom.core.errors import InvalidQueryError
from spanloom.core.formats import canonical
from spanloom.core.formats.coze import encode_coze

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, slots=True)
class Format:
    """A way to write a trajectory."""

    id: str
    """What a user names it by; lower case, stable."""
    media_type: str
    renders: str
    """What comes out, in a sentence for people."""
    encode: Callable[[bytes, bytes], bytes]
    """The stored canonical document in, and the list of spans where needed; this format out."""
    needs_spans: bool = False
    """Whether it needs what became of each span too; else that is given empty."""


CANONICAL = Format(
    id="canonical",
    media_type=canonical.MEDIA_TYPE,
    renders="The trajectory as stored: Coze Loop's schema and an `extraction` object.",
    encode=lambda document, _spans: document,  # stored in this form: every byte as it is
)
COZE = Format(
    id="coze",
    media_type=canonical.MEDIA_TYPE,
    renders="What Coze Loop's published builder prints for the same steps.",
    encode=encode_coze,
    needs_spans=True,
)

FORMATS = {known.id: known for known in (CANONICAL, COZE)}


class Content(Enum):
    """What a file keeps of each run."""

    DOCUMENT = "document"
    """One line of JSON: its document, in ``FileFormat.format``."""
    SPANS = "spans"
    """One line of JSON: its spans as they were sent."""
    ROW = "row"
    """One row: what the list says of it, and the document."""


@dataclass(frozen=True, slots=True)
class FileFormat:
    """A way to keep many runs in one file."""

    id: str
    """What a user names it by; lower case, stable."""
    content: Content
    holds: str
    """What is in such a file, in a sentence for people."""
    format: Format = CANONICAL
    is_read: bool = False
    """Whether ``spanloom import`` takes it."""


FILE_FORMATS = {
    known.id: known
    for known in (
        FileFormat("jsonl", Content.DOCUMENT, "A canonical document a line.", is_read=True),
        FileFormat("coze", Content.DOCUMENT, "A document of Coze Loop's builder a line.", COZE),
        FileFormat(
            "parquet",
            Content.ROW,
            "A row a run: its figures, and its document as text.",
            is_read=True,
        ),
        FileFormat(
            "arrow",
            Content.ROW,
            "The same as an Arrow file, which programs map into memory.",
            is_read=True,
        ),
        FileFormat(
            "otlp", Content.SPANS, "The spans of a run a line, as they were sent.", is_read=True
        ),
    )
}


def find_format(name: str) -> Format:
    """Return the format of this name, or raise ``InvalidQueryError`` naming those there are."""
    try:
        return FORMATS[name]
    except KeyError:
        known = ", ".join(sorted(FORMATS))
        raise InvalidQueryError(f"{name!r} is unknown; known are {known}", "format") from None
