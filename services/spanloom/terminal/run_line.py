"""A run in one line, as ``spanloom tail`` prints them."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from rich.text import Text

from spanloom.core.document import whole
from spanloom.core.showing.values import counted, duration, printable
from spanloom.terminal.values import STATUS_STYLES, signs_of, went

if TYPE_CHECKING:
    from rich.console import Console

_NAME_CHARS = 40


def print_run(item: dict[str, Any], console: Console) -> None:
    """Print an item of the API's list: when it began here, how it went, its name, cost and id.

    The line is cut at the edge of a terminal, and whole in a pipe; the trace id comes last.
    """
    signs = signs_of(console)
    status = str(item["status"])
    how = went(str(item["outcome"]), signs) or Text(status, STATUS_STYLES.get(status, ""))
    began = datetime.fromtimestamp(whole(item["started_at"]) / 1000).astimezone()
    steps = [
        counted(item["step_counts"][kind], kind)
        for kind in ("model", "tool")
        if item["step_counts"].get(kind)
    ]
    line = Text.assemble(
        (f"{began:%H:%M:%S}  ", "dim"),
        how,
        "  ",
        (printable(str(item["root_name"]))[:_NAME_CHARS] or "(no name)", "bold"),
        f"  {duration(whole(item['duration']))}",
        f"  {', '.join(steps)}" if steps else "",
        f"  {item['input_tokens']:,} {signs.arrow} {item['output_tokens']:,} tokens",
        (f"  {item['trace_id']}", "dim"),
    )
    if console.is_terminal:
        line.truncate(console.width, overflow="ellipsis")
    console.print(line, soft_wrap=True)
