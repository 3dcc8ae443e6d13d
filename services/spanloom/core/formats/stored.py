"""A stored run, as the input of the functions that write formats."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import orjson

from spanloom.core.document import HeldDocument

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from spanloom.core.document import Document
    from spanloom.core.formats.losses import Losses


class Stored:
    """A canonical document and, if a format needs them, its classified spans and its scores."""

    def __init__(
        self, document: bytes, spans: bytes = b"[]", scores: Sequence[Mapping[str, Any]] = ()
    ) -> None:
        """Store the values; JSON is parsed when a writer needs it."""
        self.document = document
        self.spans = spans
        self.scores = scores
        """The current scores of the run, as ``GET /v1/scores`` returns them."""
        self._view: Document | None = None

    @property
    def view(self) -> Document:
        """The document, parsed once; writers must not change its JSON."""
        if self._view is None:
            self._view = HeldDocument(orjson.loads(self.document))
        return self._view


RunWriter: TypeAlias = "Callable[[Stored, Losses], bytes]"
"""Converts a run to another format; raises ``NotHeldError`` if the format cannot hold the run."""
