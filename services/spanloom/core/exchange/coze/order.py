"""Orders steps that start in the same millisecond as a trajectory lists them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence


def positions(agents: Sequence[tuple[str, Iterable[str]]]) -> Mapping[str, tuple[int, int, int]]:
    """Return sort keys by step id, which preserve the order of agents and of their own steps.

    ``agents`` has each agent's id with the ids of its own steps, the earliest agent first. A step
    is sorted after the latest agent that precedes it in the list of its agent.
    """
    ranks = {agent: rank for rank, (agent, _) in enumerate(agents)}
    keys = {agent: (rank, 0, 0) for agent, rank in ranks.items()}
    for _, steps in agents:
        latest = -1
        for at, step in enumerate(steps):
            if step in ranks:
                latest = max(latest, ranks[step])
            else:
                keys.setdefault(step, (latest, 1, at))
    return keys
