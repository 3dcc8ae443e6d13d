"""Typed access to a failure in the list of a run's failures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanloom.core.document.values import whole
from spanloom.core.model.step import NO_CODE

if TYPE_CHECKING:
    from collections.abc import Mapping


class DocumentFailure:
    """An item of ``extraction.errors``: one failure of a run, where it happened."""

    __slots__ = ("json",)

    def __init__(self, json: Mapping[str, Any]) -> None:
        """Wrap the JSON of a failure."""
        self.json = json
        """The failure as it was parsed."""

    @property
    def code(self) -> int:
        """The HTTP or provider code; ``NO_CODE`` if missing."""
        return whole(self.json.get("code"), NO_CODE)

    @property
    def message(self) -> str:
        """The message of the exception; empty if missing."""
        return self.json.get("msg") or ""

    @property
    def type(self) -> str:
        """The name of the exception, without its package; empty if missing."""
        return self.json.get("type") or ""

    @property
    def traceback(self) -> str:
        """The stack trace; empty if missing."""
        return self.json.get("traceback") or ""

    @property
    def where(self) -> str:
        """Id of the span that failed; empty if missing."""
        return self.json.get("where") or ""

    @property
    def step_id(self) -> str:
        """Id of the step that shows the failure; empty if missing."""
        return self.json.get("step_id") or ""

    @property
    def is_recovered(self) -> bool:
        """Whether the run recovered from it; false if missing."""
        return self.json.get("recovered") is True
