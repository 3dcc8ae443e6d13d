"""Finds the target of an Invariant annotation: a step, its input or output, and a text range.

An address names a message, a text in it, and a line (``messages[2].content:L3``, from 0) or
a range of characters (``messages.2.content:0-5``, in UTF-16 code units, as browsers count them).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from spanloom.core.model.trajectory import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from spanloom.core.conventions.listed_messages import ListedStep, Message

_ADDRESS = re.compile(
    r"messages(?:\[(?P<bracket>\d{1,9})\]|\.(?P<dot>\d{1,9}))"
    r"(?P<path>(?:\.\w+|\[\d{1,9}\]){0,9})"
    r"(?::(?:L(?P<line>\d{1,9})|(?P<start>\d{1,9})-(?P<end>\d{1,9})))?"
)
_INDEX = re.compile(r"\[(\d+)\]")
_CONTENT = "content"


class Spot(NamedTuple):
    """The target of an annotation."""

    step_id: str
    field: str = ""
    """``input`` or ``output``; empty for the whole step."""
    part: str = ""
    """The path of a text in the field: ``0.content``; empty for the whole field."""
    bounds: tuple[int, int] | None = None
    """Start and end in this text, in UTF-16 code units; ``None`` for the whole text."""


class Addresses:
    """The steps of an agent's messages, keyed by the messages' addresses."""

    def __init__(
        self, messages: Sequence[Message], steps: Iterable[ListedStep], step_ids: Sequence[str]
    ) -> None:
        """Index the messages; ``step_ids`` has an id for each of ``steps``."""
        self._messages = messages
        self._spots: dict[int, Spot] = {}
        for step, step_id in zip(steps, step_ids, strict=True):
            for place, at in enumerate(step.heard):
                self._spots.setdefault(at, Spot(step_id, "input", f"{place}.{_CONTENT}"))
            if step.kind is Kind.TOOL:
                self._spots[step.at] = Spot(step_id, "output")
            elif step.output:
                self._spots[step.at] = Spot(step_id, "output", f"0.{_CONTENT}")

    def resolve(self, address: str) -> Spot | None:
        """Return the target of an address; ``None`` if there is no such message.

        An invalid range is ignored; the target is then the whole text.
        """
        found = _ADDRESS.fullmatch(address)
        if found is None:
            return None
        at = int(found["bracket"] or found["dot"])
        if (spot := self._spots.get(at)) is None:
            return None
        path = _INDEX.sub(r".\1", found["path"]).lstrip(".")
        if not path:
            return Spot(spot.step_id)
        if path != _CONTENT:
            within = f"0.{path}" if spot.part.startswith("0.") and spot.field == "output" else ""
            return Spot(spot.step_id, spot.field, within)
        return spot._replace(bounds=_bounds(self._messages[at].get(_CONTENT), found.groupdict()))


def _bounds(text: object, found: Mapping[str, str | None]) -> tuple[int, int] | None:
    """Return an address's range in UTF-16 code units; ``None`` if it names none within the text."""
    if not isinstance(text, str):
        return None
    if (line := found["line"]) is not None:
        lines = text.split("\n")
        if int(line) >= len(lines):
            return None
        start = sum(_units(one) + 1 for one in lines[: int(line)])
        return start, start + _units(lines[int(line)])
    if found["start"] is None or found["end"] is None:
        return None
    start, end = int(found["start"]), int(found["end"])
    return (start, end) if start <= end <= _units(text) else None


def _units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
