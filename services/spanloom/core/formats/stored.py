"""A stored run as the writers of formats take it."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import orjson

from spanloom.core.document import Document

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanloom.core.formats.losses import Losses


class Stored:
    """A canonical document, and the verdicts of its spans where a format needs them."""

    def __init__(self, document: bytes, spans: bytes = b"[]") -> None:
        """Keep both as they are stored; they are parsed when a writer asks for it."""
        self.document = document
        self.spans = spans

    @cached_property
    def view(self) -> Document:
        """The document, parsed once; writers do not change its JSON."""
        return Document(orjson.loads(self.document))


RunWriter: TypeAlias = "Callable[[Stored, Losses], bytes]"
"""Returns a run in another format; raises ``NotHeldError`` if that cannot hold it."""
