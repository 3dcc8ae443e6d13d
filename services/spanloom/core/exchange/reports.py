"""The report on a conversion, an import or an export: the result for every item.

``written + len(skipped) + len(rejected) == items``. The counts include all losses, the list has the
first 10,000 of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from spanloom.core.document import Document
from spanloom.core.formats.losses import Loss, Losses

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from spanloom.core.formats.json_bytes import Json

DELETED = "deleted"
"""Reason for skipping a run: it was deleted after the list of runs was made."""


def skip(trace_id: str, version: int, reason: str) -> Json:
    """Return an entry for a skipped run; ``reason`` is a code of ``losses.py``, or ``deleted``."""
    return {"trace_id": trace_id, "version": version, "reason": reason}


def version_of(document: Mapping[str, Any]) -> int:  # any JSON value
    """Return the version of a document."""
    return Document(document).extraction.version or 1


@dataclass(slots=True)
class Report:
    """Collects the results for the items in files, or for the runs in a list."""

    source: str
    """The formats that were read, separated by commas."""
    to: str
    """The format that was written."""
    written: int = 0
    skipped: list[Json] = field(default_factory=list)
    rejected: list[Json] = field(default_factory=list)
    losses: Losses = field(default_factory=Losses)

    @property
    def items(self) -> int:
        """The number of all items."""
        return self.written + len(self.skipped) + len(self.rejected)

    def lose(self, trace_id: str, lost: Losses) -> None:
        """Add the losses of a run."""
        self.losses.add(lost, trace_id)

    def json(self) -> Json:
        """Return the report as one JSON object."""
        return {
            "from": self.source,
            "to": self.to,
            "items": self.items,
            "written": self.written,
            "skipped": self.skipped,
            "rejected": self.rejected,
            "losses": [_loss(one) for one in self.losses.listed],
            "counts": counts(self.losses),
        }


def counts(losses: Losses) -> dict[str, int]:
    """Return the number of losses per code, sorted by code."""
    return {str(code): n for code, n in sorted(losses.counts.items())}


def joined(names: Iterable[str]) -> str:
    """Return the distinct names, separated by commas."""
    return ", ".join(dict.fromkeys(names))


def _loss(loss: Loss) -> Json:
    return {"trace_id": loss.trace_id, "path": loss.path, "code": str(loss.code)}
