"""Questions to the service that nobody waits for, as those of a shell that completes a line."""

from __future__ import annotations

import time
from threading import Thread
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    import click

    from spanloom.client.client import Client

T = TypeVar("T")
WAIT_S = 0.5
"""For each Tab, however many questions it asks; the start of the process takes 0.4 s besides."""
_UNTIL = "spanloom.cli.bounded.until"


def ask_briefly(ctx: click.Context, call: Callable[[Client], T]) -> T | None:
    """Return what the service that a line names answers; ``None`` if it does not, or not at once.

    A name that is looked up, or a host that is silent, is not waited for either.
    """
    until: float = ctx.meta.setdefault(_UNTIL, time.monotonic() + WAIT_S)
    left_s = until - time.monotonic()
    if left_s <= 0:
        return None
    answers: list[T] = []
    thread = Thread(target=lambda: answers.extend(_asked(ctx, call, left_s)), daemon=True)
    thread.start()
    thread.join(left_s)
    return answers[0] if answers else None


def _asked(ctx: click.Context, call: Callable[[Client], T], timeout_s: float) -> list[T]:
    from spanloom.client import Client, ClientError  # noqa: PLC0415  # for a shell only

    try:
        with Client(ctx.params.get("api_url"), timeout_s=timeout_s, tries=1) as client:
            return [call(client)]
    except (ClientError, ValueError):
        return []
