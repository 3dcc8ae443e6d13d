"""Following one run until it has settled, as ``spanloom show --watch`` does."""

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
    from spanloom.terminal.render import Document

_PASSING = (UnreachableError, TimedOutError, UnavailableError)
"""What comes of a service that is being started again."""


class Look(NamedTuple):
    """What there was to see: the newest document, and why it may not be the newest there is."""

    document: Document
    trouble: str = ""


def watch_run(client: Client, trace_id: str, project: str | None, console: Console) -> None:
    """Return once the run has settled; until then its tree grows, if the console is a terminal.

    Raises ``ClientError`` if there is no such run, or no longer is.
    """
    looks = _follow(client, trace_id, project)
    if console.is_terminal:
        with GrowingTree(console) as tree:
            for look in looks:
                tree.show(look.document, look.trouble)
    else:
        _wait(looks)


def _wait(looks: Iterator[Look]) -> None:
    """Say on standard error what is waited for, and when nobody answers."""
    said = ""
    for look in looks:
        waiting = "the run is live, it is printed once it has settled"
        saying = look.trouble or (waiting if _is_live(look.document) else "")
        if saying not in ("", said):
            click.echo(f"spanloom: {saying}", err=True)
        said = saying


def _follow(client: Client, trace_id: str, project: str | None) -> Iterator[Look]:
    """Yield what each look shows, last the document that is no longer live."""
    document: Document = {}
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


def _is_live(document: Document) -> bool:
    return bool(document["extraction"]["status"] == Status.LIVE)


def _asked_pause_s(error: Exception) -> float:
    return (isinstance(error, ApiError) and error.retry_after_s) or 0.0
