"""Items of a list as a command gives them: a table, or one JSON object a line."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any

from spanloom.terminal.output import make_console, write_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pydantic import BaseModel
    from rich.console import Console

    Render = Callable[[list[dict[str, Any]], Console, int], None]


def give(found: Iterable[BaseModel], render: Render, *, as_json: bool) -> None:
    """Print what was found: each line of JSON as it comes, a table when all is there."""
    if as_json:
        for item in found:
            write_json(item.model_dump_json().encode(), sys.stdout, indent=False)
        return
    items = [item.model_dump(mode="json") for item in found]
    render(items, make_console(sys.stdout), time.time_ns() // 1_000_000)
