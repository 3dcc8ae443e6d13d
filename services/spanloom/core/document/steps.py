"""Typed access to a step of a document, and to the agent that owns it."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

from spanloom.core.document.metrics import DocumentMetrics
from spanloom.core.document.values import whole
from spanloom.core.model.step import NO_CODE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    Json = dict[str, Any]  # a JSON object: typed by its schema, not by Python

_UNREADABLE = (KeyError, TypeError, ValueError, OverflowError)
"""Exceptions for missing or invalid times, which canonical documents do not have."""
SHOWN: Final = ("name", "input", "output", "basic_info")
"""Members that every step has: the root, an agent, and an agent's steps."""
_MEMBERS = ("id", *SHOWN, "parent_id", "type")
_OF_A_STEP = itemgetter(*_MEMBERS)


class DocumentStep:
    """One step, and the agent that owns it."""

    __slots__ = (
        *("basic_info", "id", "input", "json", "name", "output", "owner", "parent_id", "type"),
    )

    def __init__(
        self, json: Json, type_: str | None = None, owner: DocumentAgent | None = None
    ) -> None:
        """Read the JSON of a step; ``type_`` overrides the type in the JSON."""
        if type_ is None:
            try:
                id_, name, input_, output, info, parent_id, type_in_it = _OF_A_STEP(json)
            except KeyError:  # in a partial document
                id_, name, input_, output, info, parent_id, type_in_it = map(json.get, _MEMBERS)
        else:  # agents and roots lack ``parent_id`` and ``type``
            id_, name, input_, output, info, parent_id, type_in_it = map(json.get, _MEMBERS)
        self.json = json
        """The step's JSON in the document."""
        self.id: str = id_ or ""
        """The id of the step, which is the id of its span."""
        self.parent_id: str = parent_id or ""
        """Id of the nearest step above it; empty for the root."""
        self.name: str = name or ""
        """The step's name."""
        self.type: str = (type_in_it or "") if type_ is None else type_
        """``agent``, ``model``, ``tool`` or ``graph``; a root may also be ``other``."""
        self.input: str = input_ or ""
        """The step's input as text."""
        self.output: str = output or ""
        """The step's output as text."""
        self.basic_info: Mapping[str, Any] = info or {}
        """The step's times (milliseconds as strings) and its error."""
        self.owner = owner
        """The agent that owns the step; ``None`` for agents and the root."""

    @property
    def agent_id(self) -> str:
        """Id of the agent that owns the step; empty if there is none."""
        return self.owner.id if self.owner is not None else ""

    @property
    def agent_name(self) -> str:
        """Name of the agent that owns the step; empty if there is none."""
        return self.owner.name if self.owner is not None else ""

    @property
    def metadata(self) -> Mapping[str, Any]:
        """The step's ``metadata``: attributes without a member of their own."""
        return self.json.get("metadata") or {}

    @property
    def model(self) -> str:
        """The model that was called; empty if it is unknown."""
        return (self.json.get("metadata") or {}).get("model") or ""

    @property
    def times(self) -> tuple[int, int]:
        """Start and end of the step, in milliseconds since the epoch."""
        info = self.basic_info
        try:
            started_at = int(info["started_at"])
            return started_at, started_at + int(info["duration"])
        except _UNREADABLE:
            started_at = whole(info.get("started_at"))
            return started_at, started_at + whole(info.get("duration"))

    @property
    def started_at(self) -> int:
        """Start of the step, in milliseconds since the epoch."""
        try:
            return int(self.basic_info["started_at"])
        except _UNREADABLE:
            return whole(self.basic_info.get("started_at"))

    @property
    def duration(self) -> int:
        """Duration of the step in milliseconds."""
        try:
            return int(self.basic_info["duration"])
        except _UNREADABLE:
            return whole(self.basic_info.get("duration"))

    @property
    def error(self) -> Mapping[str, Any] | None:
        """Code and message of the step's failure; ``None`` if it did not fail."""
        return self.basic_info.get("error") or None

    @property
    def error_code(self) -> int:
        """Code of the step's failure; ``NO_CODE`` if it has none, or if the step did not fail."""
        error = self.basic_info.get("error")
        return whole(error.get("code"), NO_CODE) if error else NO_CODE

    @property
    def error_message(self) -> str:
        """Message of the step's failure; empty if it did not fail."""
        error = self.basic_info.get("error")
        return (error.get("msg") or "") if error else ""

    @property
    def model_info(self) -> Mapping[str, Any]:
        """Token usage and latency of a model call; empty for any other step."""
        return self.json.get("model_info") or {}

    @property
    def metrics_info(self) -> Mapping[str, Any]:
        """Metrics of an agent or of the root; empty for any other step."""
        return self.json.get("metrics_info") or {}

    @property
    def metrics(self) -> DocumentMetrics:
        """The members of ``metrics_info``, typed."""
        return DocumentMetrics(self.metrics_info)

    @property
    def tokens(self) -> Mapping[str, Any]:
        """Token counts of a model call, or their sums over an agent or the root."""
        return self.json.get("model_info") or self.metrics_info


class DocumentAgent(DocumentStep):
    """An agent, or the root if it owns steps itself."""

    __slots__ = ()

    @property
    def steps(self) -> Iterator[DocumentStep]:
        """The steps that the agent owns, in the order of the document."""
        for step in self.json.get("steps") or ():
            yield DocumentStep(step, None, self)

    @property
    def agent_name(self) -> str:
        """The name of the agent itself."""
        return self.name
