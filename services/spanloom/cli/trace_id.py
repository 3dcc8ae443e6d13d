"""The argument TRACE_ID, as the commands that look at one trace take it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from collections.abc import Callable

    from spanloom.client.client import Client

LATEST = "latest"

Command = TypeVar("Command", bound="Callable[..., Any]")


def trace_id_argument(command: Command) -> Command:
    """Add TRACE_ID, in lower case whatever was typed."""
    return click.argument("trace_id", callback=to_trace_id_or_latest)(command)


def resolve(trace_id: str, client: Client, project: str | None) -> str:
    """Return the id itself, or for `latest` that of the newest run.

    A trace without a step, or one that repeats another, is the newest only if there is no other.
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
    """Return the id in lower case; raises ``click.BadParameter`` if it is none."""
    if text is not None and not re.fullmatch("[0-9a-fA-F]{32}", text):
        raise click.BadParameter(f"{text!r} is not 32 hex digits")
    return text and text.lower()


def to_trace_id_or_latest(_ctx: click.Context, _param: click.Parameter, text: str) -> str:
    """Return the id in lower case, or `latest`; raises ``click.BadParameter`` for anything else."""
    wanted = text.lower()
    if wanted != LATEST and not re.fullmatch("[0-9a-f]{32}", wanted):
        raise click.BadParameter(f"{text!r} is neither 32 hex digits nor `{LATEST}`")
    return wanted
