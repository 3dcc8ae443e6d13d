"""The arguments TRACE_ID and STEP."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, TypeVar

import click
import orjson

from spanloom.core.showing.steps import place_steps
from spanloom.core.showing.values import counted

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanloom.client.client import Client


LATEST = "latest"

Command = TypeVar("Command", bound="Callable[..., Any]")


def trace_id_argument(command: Command) -> Command:
    """Add the argument TRACE_ID, converted to lower case."""
    return click.argument("trace_id", callback=to_trace_id_or_latest)(command)


def resolve(trace_id: str, client: Client, project: str | None) -> str:
    """Return the trace id, for `latest` that of the newest run.

    Traces without a step, and duplicates of others, count only if there is no other trace.
    """
    if trace_id != LATEST:
        return trace_id
    for run in client.trajectories(limit=1, project=project, duplicate=False, has_steps=True):
        return run.trace_id
    for run in client.trajectories(limit=1, project=project):
        return run.trace_id
    raise click.ClickException(
        f"there are no trajectories at {client.url} yet; `spanloom instrument` says how agents "
        "are made to send"
    )


def to_trace_id(_ctx: click.Context, _param: click.Parameter, text: str | None) -> str | None:
    """Return the id in lower case; raises ``click.BadParameter`` if it is not a trace id."""
    if text is not None and not re.fullmatch("[0-9a-fA-F]{32}", text):
        raise click.BadParameter(f"{text!r} is not 32 hex digits")
    return text and text.lower()


def to_trace_id_or_latest(_ctx: click.Context, _param: click.Parameter, text: str) -> str:
    """Return the id in lower case, or `latest`; raises ``click.BadParameter`` for anything else."""
    wanted = text.lower()
    if wanted != LATEST and not re.fullmatch("[0-9a-f]{32}", wanted):
        raise click.BadParameter(f"{text!r} is neither 32 hex digits nor `{LATEST}`")
    return wanted


_ID = re.compile("[0-9a-fA-F]{16}")
_PLACE = re.compile(r"(agent|model|tool|graph|)-?(\d{1,6})")


def find_step_id(text: str, trace_id: str, client: Client, project: str | None) -> str:
    """Return a step's id: ``model3`` is the third model call, ``7`` the seventh step.

    Both count steps by their start, as in the outline.

    Raises ``click.BadParameter`` for any other text, and for a number beyond the last step.
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
