"""How far something is that takes long: a line on a terminal, nothing in a pipe."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn

from spanloom.terminal.output import make_console

if TYPE_CHECKING:
    from typing import TextIO


class Counting:
    """Counts on a terminal, between entering and leaving; with a bar if the end is known.

    The end is a number of what is counted, or what is counted is told with the share that is done.
    """

    def __init__(self, stream: TextIO, noun: str, total: int | None = None) -> None:
        """Draw nothing yet."""
        columns = [SpinnerColumn(), TextColumn("{task.fields[count]:,.0f} {task.description}")]
        bar = [BarColumn()] if total else []
        self._progress = Progress(
            *columns,
            *bar,
            TextColumn("{task.fields[beside]}"),
            console=make_console(stream),
            transient=True,
            disable=not stream.isatty(),
        )
        self._task = self._progress.add_task(noun, total=total, beside="", count=0)

    def __enter__(self) -> Self:
        """Take the end of the terminal."""
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Give the terminal back."""
        self._progress.stop()

    def show(self, count: int, beside: str = "", done: float | None = None) -> None:
        """Show how many there are by now, and something beside it; ``done`` is where the bar is."""
        completed = count if done is None else done
        self._progress.update(self._task, completed=completed, beside=beside, count=count)
