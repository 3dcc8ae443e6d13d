"""The bank's two tools, which log when they ran."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from tests.stops.script import LOOK_UP, WIRE

if TYPE_CHECKING:
    from collections.abc import Callable

Log = list[dict[str, Any]]


def look_up_account(log: Log) -> Callable[[str], str]:
    """Return the tool that needs no approval."""

    def tool(holder: str) -> str:
        """Find the account of a holder."""
        return _ran(log, LOOK_UP, holder, f"the account of {holder} is NO93 8601")

    tool.__name__ = LOOK_UP
    return tool


def wire_money(log: Log) -> Callable[[str, str], str]:
    """Return the tool that needs a person's approval."""

    def tool(to: str, amount: str) -> str:
        """Wire money to somebody."""
        return _ran(log, WIRE, to, f"{amount} wired to {to}")

    tool.__name__ = WIRE
    return tool


def _ran(log: Log, name: str, argument: str, answer: str) -> str:
    ran = {"name": name, "argument": argument, "from_ns": time.time_ns(), "outcome": "ok"}
    time.sleep(0.02)
    log.append({**ran, "to_ns": time.time_ns()})
    return answer
