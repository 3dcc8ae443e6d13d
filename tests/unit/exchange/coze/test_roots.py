"""A root type that Coze Loop's format cannot express is counted as a loss."""

from __future__ import annotations

import pytest
from tests.support.exchanged import write

from spanloom.core.exchange.drafts import Draft, DraftStep, complete
from spanloom.core.formats.losses import Code, Losses
from spanloom.core.model.trajectory import Kind


@pytest.mark.parametrize(
    ("kinds", "lost"),
    [
        ((Kind.AGENT,), True),
        ((Kind.GRAPH,), True),
        ((Kind.GRAPH, Kind.MODEL), True),  # the call belongs to the graph
        ((Kind.TOOL,), False),
    ],
)
def test_an_agent_above_what_it_shows_as_agents(kinds: tuple[Kind, ...], *, lost: bool) -> None:
    steps = [
        DraftStep(f"{n:016x}", f"{n - 1:016x}" if n > 1 else "", kind, "step", "", "", 1, 10)
        for n, kind in enumerate((Kind.AGENT, *kinds), 1)
    ]
    losses = Losses()
    write("coze", complete(Draft("a" * 32, "default", "made", steps)), losses)
    assert ((f"{1:016x}", Code.METADATA_DROPPED) in _told(losses)) is lost


def _told(losses: Losses) -> set[tuple[str, Code]]:
    return {(loss.path, loss.code) for loss in losses.listed}
