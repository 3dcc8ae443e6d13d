"""Runs that may or may not be agents: a function that loops over tools, or makes one bare call.

Some SDKs have no agent object. Their function with tools is an agent; the same function around a
single call is only a wrapper. What tells is the inside: a tool run, a call that was offered tools,
or a second call.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from spanloom.core.model.span import Span

if TYPE_CHECKING:
    from spanloom.core.reading.view import TraceView

MAX_DEPTH = 12
"""How far below a run its steps may stand: a loop's turn, advisors in one another, the call."""

Test = Callable[[Span], bool]


def loops_over_tools(
    run: Span, view: TraceView, is_tool: Test, is_call: Test, offers: Test
) -> bool:
    """Return whether the run is more than a wrapper of one call.

    ``offers`` says of a run or a call whether it had tools to choose from.
    """
    calls = 0
    level = [run]
    for _ in range(MAX_DEPTH):
        if any(map(offers, level)):
            return True
        level = [child for span in level for child in view.tree.children(span)]
        if any(map(is_tool, level)):
            return True
        calls += sum(map(is_call, level))
        if calls > 1:
            return True
    return False
