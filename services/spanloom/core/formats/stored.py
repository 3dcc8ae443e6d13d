"""A stored run, as the writers of formats get it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import orjson

from spanloom.core.document import HeldDocument

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from spanloom.core.document import Document
    from spanloom.core.formats.losses import Losses


class Stored:
    """A canonical document; if a format needs them, the verdicts of its spans, and its scores."""

    def __init__(
        self, document: bytes, spans: bytes = b"[]", scores: Sequence[Mapping[str, Any]] = ()
    ) -> None:
        """Keep the stored values; JSON is parsed when a writer needs it."""
        self.document = document
        self.spans = spans
        self.scores = scores
        """The current scores of the run, as ``GET /v1/scores`` has them."""
        self._view: Document | None = None

    @property
    def view(self) -> Document:
        """The document, parsed once; writers must not change its JSON."""
        if self._view is None:
            self._view = HeldDocument(orjson.loads(self.document))
        return self._view


RunWriter: TypeAlias = "Callable[[Stored, Losses], bytes]"
"""Returns a run in another format; raises ``NotHeldError`` if that cannot hold it."""
