"""Writes a conversation as one HTML file, run by run.

::

    yield begin("support/4711")
    for at, line in enumerate(lines, 1):
        yield write_run(at, line, document if room.steps > 0 else None, room)
    yield finish()
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from spanloom.core.showing.html.page import ENDING, facts, heading, opening, run_inside
from spanloom.core.showing.html.texts import legible
from spanloom.core.showing.values import duration, instant

if TYPE_CHECKING:
    from spanloom.core.query.lists import ListedRun
    from spanloom.core.showing.html.steps import Room


def begin(conversation_id: str) -> bytes:
    """Return the HTML before the first run."""
    return "".join(opening(conversation_id)).encode()


def write_run(at: int, line: ListedRun, document: bytes | None, room: Room) -> bytes:
    """Return a run with as many steps as ``room`` allows; without a document, a link to the run.

    ``at`` is its number in the conversation, ``line`` its summary.
    """
    name = f"{at:,}. {line.run.root_name or line.key.trace_id}"
    if document is None:
        inside = [facts(_facts_of(line)), _elsewhere(line)]
    else:
        run: dict[str, Any] = orjson.loads(document)
        inside = list(run_inside(run, room))
    return "".join((heading(name, 2), *inside)).encode()


def finish(note: str = "") -> bytes:
    """Return the HTML after the last run; ``note`` is the reason why runs are missing."""
    return f"{_cut(legible(note)) if note else ''}{ENDING}".encode()


def _facts_of(line: ListedRun) -> dict[str, str]:
    return {
        "trace": line.key.trace_id,
        "version": f"{line.version}, {line.status}",
        "started": instant(line.run.started_at),
        "duration": duration(line.run.duration),
    }


def _elsewhere(line: ListedRun) -> str:
    where = f"/v1/trajectories/{legible(line.key.trace_id)}/export.html"
    return _cut(f"Its steps are not in this file. They are in {where}")


def _cut(text: str) -> str:
    return f'<p class="cut">{text}</p>'
