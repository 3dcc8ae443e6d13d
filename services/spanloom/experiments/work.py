"""The work of one experiment, done in small pieces; what is done is known by its scores."""

from __future__ import annotations

import time
from itertools import islice
from typing import TYPE_CHECKING

from spanloom.experiments.judging import side_by_side

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.model.score import Score
    from spanloom.core.ports.annotations import ScoreStore
    from spanloom.experiments.judging import TrialJudge
    from spanloom.experiments.trials import Trials

PIECE_S = 0.2
"""After so many seconds a piece ends, so that extraction in the same process goes on."""
MOST_TRIALS = 50
"""Trials of a piece: their scores are one INSERT, which is stored whole or not at all."""
AT_A_TIME = 8
"""Trials that wait for models at the same time."""


class Work:
    """What is left of an experiment."""

    def __init__(self, judge: TrialJudge, scores: ScoreStore, trials: Trials) -> None:
        """Judge trials, and store their scores."""
        self._judge = judge
        self._scores = scores
        self._left = trials.left()

    def do_piece(self) -> int:
        """Judge some trials; return how many, 0 if nothing is left.

        Killed on the way it has stored the scores of all of them or none.
        """
        judged, scores = self._together() if self._judge.waits else self._one_by_one()
        if scores:
            self._scores.add(scores)
        return judged

    def _one_by_one(self) -> tuple[int, Sequence[Score]]:
        scores: list[Score] = []
        until, judged = time.monotonic() + PIECE_S, 0
        for trial in islice(self._left, MOST_TRIALS):
            scores += self._judge.judge(trial)
            judged += 1
            if time.monotonic() >= until:
                break
        return judged, scores

    def _together(self) -> tuple[int, Sequence[Score]]:
        trials = list(islice(self._left, AT_A_TIME))
        return len(trials), side_by_side(self._judge.judge, trials)
