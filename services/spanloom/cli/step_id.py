"""The argument STEP: a step's id, or its type and its number among those of the run."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from spanloom.client.client import Client

_ID = re.compile("[0-9a-fA-F]{16}")
_PLACE = re.compile(r"(agent|model|tool|graph)-?(\d{1,6})")


def find_step_id(text: str, trace_id: str, client: Client, project: str | None) -> str:
    """Return the id: of ``model3`` that of the third model call, by the order of starts.

    Raises ``click.BadParameter`` for what is neither, and for a number beyond the last one.
    """
    if _ID.fullmatch(text):
        return text
    place = _PLACE.fullmatch(text)
    if place is None:
        raise click.BadParameter(f"{text!r} is neither a step's id nor like `model3` or `tool1`")
    kind, number = place[1], int(place[2])
    steps = client.trajectory(trace_id, project=project).steps
    of_kind = sorted((s for s in steps if s.type == kind), key=lambda s: s.basic_info.started_at)
    if not 1 <= number <= len(of_kind):
        raise click.BadParameter(f"the run has {len(of_kind)} steps of the type {kind}")
    return of_kind[number - 1].id
