"""Follows one run until it has settled, for ``spanloom show --watch``."""

from __future__ import annotations

from time import sleep
from typing import TYPE_CHECKING, NamedTuple

import click
import orjson

from spanloom.cli.client import LOOK_S
from spanloom.client.errors import ApiError, TimedOutError, UnavailableError, UnreachableError
from spanloom.core.model.trajectory import Status
from spanloom.terminal.live import GrowingTree

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console

    from spanloom.client.client import Client
    from spanloom.terminal.render import Json

_PASSING = (UnreachableError, TimedOutError, UnavailableError)
"""The errors while a service restarts."""


class Look(NamedTuple):
    """The latest document received, and why it may be outdated."""

    document: Json
    trouble: str = ""


def watch_run(client: Client, trace_id: str, project: str | None, console: Console) -> None:
    """Return once the run has settled; on a terminal, draw its growing tree until then.

    Raises ``ClientError`` if the run does not exist, or was deleted.
    """
    looks = _follow(client, trace_id, project)
    if console.is_terminal:
        with GrowingTree(console) as tree:
            for look in looks:
                tree.show(look.document, look.trouble)
    else:
        _wait(looks)


def _wait(looks: Iterator[Look]) -> None:
    """Report on standard error what the command waits for, and when no service answers."""
    said = ""
    for look in looks:
        waiting = "the run is live, it is printed once it has settled"
        saying = look.trouble or (waiting if _is_live(look.document) else "")
        if saying not in ("", said):
            click.echo(f"spanloom: {saying}", err=True)
        said = saying


def _follow(client: Client, trace_id: str, project: str | None) -> Iterator[Look]:
    """Yield the result of each poll, the last one with a document that is no longer live."""
    document: Json = {}
    etag = ""
    while True:
        trouble, pause_s = "", LOOK_S
        try:
            newer = client.newer_document(trace_id, etag, project=project)
        except _PASSING as error:
            if not document:
                raise
            trouble = f"{error}, trying again"
            pause_s = max(pause_s, _asked_pause_s(error))
        else:
            if newer is not None:
                document, etag = orjson.loads(newer.body), newer.etag
        yield Look(document, trouble)
        if not _is_live(document):
            return
        sleep(pause_s)


def _is_live(document: Json) -> bool:
    return bool(document["extraction"]["status"] == Status.LIVE)


def _asked_pause_s(error: Exception) -> float:
    return (isinstance(error, ApiError) and error.retry_after_s) or 0.0
