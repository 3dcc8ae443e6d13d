"""Typed access to the ``extraction`` of a document: how it was built, and facts about the run.

Members are read when they are used, and most are not checked: a member of a wrong type is returned
as it is, so that callers can refuse it. If a document is partial, or from another program, a
missing member has the value that its property names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanloom.core.document.failures import DocumentFailure
from spanloom.core.document.values import whole
from spanloom.core.model.trajectory import Status

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


class DocumentExtraction:
    """The ``extraction`` of a document."""

    __slots__ = ("json",)

    def __init__(self, json: Mapping[str, Any]) -> None:
        """Wrap the JSON of an ``extraction``."""
        self.json = json
        """The object as it was parsed, for callers that copy all its members."""

    def members(self, names: Iterable[str]) -> dict[str, Any]:
        """Return the members with these names, in their order, without missing and empty ones."""
        return {name: value for name in names if (value := self.json.get(name))}

    @property
    def version(self) -> int:
        """The version of the document, from 1; 0 if missing."""
        return whole(self.json.get("version"))

    @property
    def status(self) -> Status:
        """The status of the run; settled if missing. Raises ``ValueError`` for another value."""
        return Status(self.json.get("status") or Status.SETTLED)

    @property
    def status_text(self) -> str:
        """The status of the run, unchecked; empty if missing."""
        return self.json.get("status") or ""

    @property
    def extractor_version(self) -> str:
        """The version of the extractor that built the document; empty if missing."""
        return self.json.get("extractor_version") or ""

    @property
    def project(self) -> str:
        """The project of the run; empty if missing."""
        return self.json.get("project") or ""

    @property
    def conversation_id(self) -> str:
        """The conversation of the run; empty if missing, because the sender named none."""
        return self.json.get("conversation_id") or ""

    @property
    def user_id(self) -> str:
        """The user of the agent; empty if missing, because the sender named none."""
        return self.json.get("user_id") or ""

    @property
    def tags(self) -> Sequence[str]:
        """The sender's tags; no items if missing or not a list."""
        tags = self.json.get("tags")
        return tags if isinstance(tags, list) else ()

    @property
    def metadata(self) -> Mapping[str, Any]:
        """The sender's metadata, texts by key; empty if missing or not an object."""
        return _object(self.json.get("metadata"))

    @property
    def root_type(self) -> str:
        """The type of the root; empty if missing."""
        return self.json.get("root_type") or ""

    @property
    def outcome(self) -> str:
        """How the run ended, a value of ``Outcome``; empty if missing (older extractors)."""
        return self.json.get("outcome") or ""

    @property
    def failures(self) -> int:
        """Number of failures, which may exceed the number of ``errors``; 0 if missing."""
        return whole(self.json.get("failures"))

    @property
    def errors(self) -> Sequence[DocumentFailure]:
        """The first failures, in the order in which the failed spans began; no items if missing."""
        return list(map(DocumentFailure, self.json.get("errors") or ()))

    @property
    def pauses(self) -> Sequence[Mapping[str, Any]]:
        """The steps at which the run waits for a person; no items if missing."""
        return self.json.get("pauses") or ()

    @property
    def resumes(self) -> str:
        """Trace id of the run that waited for the answer which this run got; empty if missing."""
        return self.json.get("resumes") or ""

    @property
    def resumed_by(self) -> str:
        """Trace id of the run that got the answer for which this run waited; empty if missing."""
        return self.json.get("resumed_by") or ""

    @property
    def duplicate_of(self) -> Mapping[str, Any] | None:
        """The step in another trace that the run reports again; ``None`` if missing.

        An object with ``trace_id`` and ``span_id``.
        """
        return self.json.get("duplicate_of")

    @property
    def dialects(self) -> Sequence[str]:
        """The dialects that read the spans of the run; no items if missing."""
        return self.json.get("dialects") or ()

    @property
    def warnings(self) -> Sequence[str]:
        """Problems of the trace, and how they were handled; no items if missing."""
        return self.json.get("warnings") or ()

    @property
    def span_count(self) -> int:
        """Number of stored spans of the trace; 0 if missing."""
        return whole(self.json.get("span_count"))

    @property
    def step_counts(self) -> Mapping[str, int]:
        """Number of steps by type, and of spans that are no steps; empty if missing."""
        return self.json.get("step_counts") or {}

    @property
    def cost_usd(self) -> float | None:
        """Cost of the model calls in US dollars; ``None`` if missing or if a price is unknown."""
        return _object(self.json.get("cost")).get("usd")

    @property
    def known_cost_usd(self) -> float | None:
        """Cost in US dollars of the model calls whose price is known; ``None`` if missing."""
        return _object(self.json.get("cost")).get("known_usd")

    @property
    def llm_wall_ms(self) -> float | None:
        """Milliseconds in which at least one model call ran; ``None`` if missing."""
        return self.json.get("llm_wall_ms")

    @property
    def time_to_first_token_ms(self) -> float | None:
        """Milliseconds from the start of the run to the first token; ``None`` if missing."""
        return self.json.get("time_to_first_token_ms")


def _object(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
