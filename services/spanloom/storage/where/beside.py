"""What a ``where`` asks for beside the rows of runs: texts, annotations and scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

from spanloom.core.annotation.queue import withheld_from_all
from spanloom.storage.annotations.queues import ReadQueues
from spanloom.storage.engine.conditions import Condition, within

if TYPE_CHECKING:
    from spanloom.core.model.tenancy import Reach
    from spanloom.storage.engine.lane import Lane


class Beside:
    """Where these are looked for, and which rows of theirs may be seen."""

    def __init__(self, lane: Lane, reach: Reach) -> None:
        """Take the lane that asks, and what its reader may see."""
        self.lane = lane
        self.reach = within(reach)
        self._projects = reach
        self._said: Condition | None = None

    @property
    def said(self) -> Condition:
        """The condition that what is said of a run may be seen: of its project, and not withheld.

        What a blind queue withholds from anybody counts for nobody here: who asks has no name.
        """
        if self._said is None:
            withheld = withheld_from_all(ReadQueues(self.lane), self._projects)
            self._said = _without(self.reach, sorted(withheld))
        return self._said


def _without(reach: Condition, withheld: list[tuple[str, str]]) -> Condition:
    if not withheld:
        return reach
    text = (
        f"{reach.text} AND (Project, TraceId) NOT IN"
        " JSONExtract({withheld:String}, 'Array(Tuple(String, String))')"
    )
    return Condition(text, {**reach.values, "withheld": withheld})
