"""A run's tree on a terminal, drawn anew in its place while the run grows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from rich.console import Group
from rich.live import Live
from rich.text import Text

from spanloom.core.showing.values import printable
from spanloom.terminal.render import trajectory_lines
from spanloom.terminal.values import signs_of

if TYPE_CHECKING:
    from rich.console import Console

    from spanloom.terminal.render import Json

HEADING_LINES = 2
"""Of a tree that is higher than the terminal these stay, and its end: there it grows."""
FOLLOWING = "following the run until it has settled, Ctrl-C ends"


class GrowingTree:
    """The tree and a line below it, between entering and leaving.

    Left in the ordinary way it goes, for what is printed next; by an error or Ctrl-C it stays.
    """

    def __init__(self, console: Console) -> None:
        """Draw nothing yet."""
        self._console = console
        self._live = Live(console=console, auto_refresh=False, transient=True)
        self._shown: tuple[Json, str] | None = None

    def __enter__(self) -> Self:
        """Take the end of the terminal."""
        self._live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Give the terminal back, its cursor shown."""
        self._live.transient = kind is None
        self._live.stop()

    def show(self, document: Json, trouble: str = "") -> None:
        """Draw a canonical document; ``trouble`` says why there is no newer one."""
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
