"""Output that is redrawn: a growing run, and the progress of a long operation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from rich.console import Group
from rich.live import Live
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn
from rich.text import Text

from spanloom.core.showing.values import printable
from spanloom.terminal.output import make_console, signs_of
from spanloom.terminal.render import trajectory_lines

if TYPE_CHECKING:
    from typing import TextIO

    from rich.console import Console

    from spanloom.terminal.render import Json


HEADING_LINES = 2
"""Lines that stay at the top of a tree that is higher than the terminal; its end is shown below."""
FOLLOWING = "following the run until it has settled, Ctrl-C ends"


class GrowingTree:
    """A context manager that shows a run's tree and a status line below it.

    On a normal exit the tree is erased; after an error or Ctrl-C it stays.
    """

    def __init__(self, console: Console) -> None:
        """Prepare; nothing is drawn yet."""
        self._console = console
        self._live = Live(console=console, auto_refresh=False, transient=True)
        self._shown: tuple[Json, str] | None = None

    def __enter__(self) -> Self:
        """Start redrawing the end of the terminal."""
        self._live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Stop redrawing and show the cursor again."""
        self._live.transient = kind is None
        self._live.stop()

    def show(self, document: Json, trouble: str = "") -> None:
        """Draw a canonical document; ``trouble`` is the reason why there is no newer one."""
        if self._shown == (document, trouble):
            return
        self._shown = (document, trouble)
        below = Text(printable(trouble) or FOLLOWING, "yellow" if trouble else "dim")
        lines = [*trajectory_lines(document, self._console), Text(), below]
        self._live.update(Group(*self._fitting(lines)), refresh=True)

    def _fitting(self, lines: list[Text]) -> list[Text]:
        room = self._console.height - 1
        left_out = len(lines) - room + 1
        if left_out <= 1:
            return lines
        gap = Text(f"{signs_of(self._console).more} {left_out} lines", "dim")
        return [*lines[:HEADING_LINES], gap, *lines[HEADING_LINES + left_out :]]


class Counting:
    """A context manager that shows a count, with a progress bar if ``total`` is known.

    ``total`` has the unit of ``done`` if ``show`` is called with it, otherwise that of the count.
    """

    def __init__(self, stream: TextIO, noun: str, total: int | None = None) -> None:
        """Prepare; nothing is drawn yet, and nothing at all if the stream is no terminal."""
        columns = [SpinnerColumn(), TextColumn("{task.fields[count]:,.0f} {task.description}")]
        bar = [BarColumn()] if total else []
        self._progress = Progress(
            *columns,
            *bar,
            TextColumn("{task.fields[note]}"),
            console=make_console(stream),
            transient=True,
            disable=not stream.isatty(),
        )
        self._task = self._progress.add_task(noun, total=total, note="", count=0)

    def __enter__(self) -> Self:
        """Start redrawing the end of the terminal."""
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop redrawing and erase the count."""
        self._progress.stop()

    def show(self, count: int, note: str = "", done: float | None = None) -> None:
        """Show the count so far, then a note; ``done``, by default the count, sets the bar."""
        completed = count if done is None else done
        self._progress.update(self._task, completed=completed, note=note, count=count)
