"""Checks a line of a dataset: messages with a role, metadata, and annotations."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from spanloom.core.conventions.invariant_annotations import read_annotation
from spanloom.core.errors import InvalidRequestError
from spanloom.core.formats.readers import a_list, a_text, an_object, kind_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from spanloom.core.conventions.invariant_annotations import Annotation
    from spanloom.core.formats.json_bytes import Json

PARENT = "parent_trace"
"""Key in a line's metadata for the id of the run that contains the line's agent."""


class Line(NamedTuple):
    """A line of a dataset: the messages and tool calls of one agent."""

    messages: list[Json]
    metadata: Json
    annotations: Sequence[Annotation]
    unread: int
    """The number of annotations in an unknown form."""
    dropped: int
    """The number of unknown members."""
    source: str
    """The id of the run in the source; empty if there is none."""

    @property
    def parent(self) -> str:
        """Id, in the source, of the run that contains this agent; empty for the root agent."""
        known = self.metadata.get(PARENT)
        return known if isinstance(known, str) else ""


_READ = frozenset({"messages", "metadata", "annotations", "index", "id", "dataset"})


def line_of(value: Any, where: str = "") -> Line | None:  # any JSON value
    """Check a line or a bare list of messages; ``None`` for the metadata of a dataset.

    ``where`` is the prefix for paths. Raises ``InvalidRequestError`` for any other value.
    """
    if isinstance(value, list):
        return Line(_messages(value, where), {}, (), 0, 0, "")
    if not isinstance(value, dict):
        raise InvalidRequestError(f"{where}an object or a list is needed, not {kind_of(value)}")
    if "messages" not in value:
        if isinstance(value.get("metadata"), dict) and value.keys() <= {"metadata", "name"}:
            return None
        raise InvalidRequestError(f"{where}messages: a list is needed, and there is none")
    messages = _messages(a_list(value["messages"], f"{where}messages"), f"{where}messages.")
    metadata = an_object(_or(value.get("metadata"), {}), f"{where}metadata")
    items = a_list(_or(value.get("annotations"), []), f"{where}annotations")
    annotations = list(_annotations(items))
    known = metadata.get("trace_id") or value.get("id")
    source = known if isinstance(known, str) else ""
    dropped = len(value.keys() - _READ)
    unread = len(items) - len(annotations)
    return Line(messages, metadata, annotations, unread, dropped, source)


def _annotations(items: Iterable[object]) -> Iterator[Annotation]:
    for one in items:
        with suppress(InvalidRequestError):  # an invalid annotation is counted as unread
            yield read_annotation(one, "")


def _or(value: object, otherwise: object) -> object:
    return otherwise if value is None else value


def _messages(values: list[Any], where: str) -> list[Json]:
    for at, value in enumerate(values):
        check_message(value, f"{where}{at}")
    return values


def check_message(value: object, where: str) -> Json:
    """Return a message; raises ``InvalidRequestError`` with the path of the first fault."""
    message = an_object(value, where)
    a_text(message.get("role"), f"{where}.role")
    for n, call in enumerate(a_list(_or(message.get("tool_calls"), []), f"{where}.tool_calls")):
        an_object(call, f"{where}.tool_calls.{n}")
        function = _or(call.get("function"), {})
        an_object(function, f"{where}.tool_calls.{n}.function")
    return message
