"""The argument STEP: a step's id, or its number in the run, among those of its type or of all."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import click
import orjson

from spanloom.core.showing.step_outline import place_steps
from spanloom.core.showing.values import counted

if TYPE_CHECKING:
    from spanloom.client.client import Client

_ID = re.compile("[0-9a-fA-F]{16}")
_PLACE = re.compile(r"(agent|model|tool|graph|)-?(\d{1,6})")


def find_step_id(text: str, trace_id: str, client: Client, project: str | None) -> str:
    """Return the id: of ``model3`` that of the third model call, of ``7`` that of the seventh step.

    Both go by the order of starts, as the outline has it.

    Raises ``click.BadParameter`` for what is neither, and for a number beyond the last one.
    """
    if _ID.fullmatch(text):
        return text
    place = _PLACE.fullmatch(text)
    if place is None:
        raise click.BadParameter(f"{text!r} is no step's id, nor like `model3`, `tool1` or `7`")
    kind, number = place[1], int(place[2])
    steps = place_steps(orjson.loads(client.document(trace_id, project=project)))
    wanted = [own.step.id for own in steps if kind in ("", own.step.type)]
    if not 1 <= number <= len(wanted):
        of_kind = f" of the type {kind}" if kind else ""
        raise click.BadParameter(f"the run has {counted(len(wanted), 'step')}{of_kind}")
    return wanted[number - 1]
