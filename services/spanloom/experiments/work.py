"""Judges the trials of one experiment in small batches; the stored scores record the progress."""

from __future__ import annotations

import time
from itertools import islice
from typing import TYPE_CHECKING

from spanloom.experiments.judging import run_concurrently

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spanloom.core.model.score import Score
    from spanloom.core.ports.annotations import ScoreStore
    from spanloom.experiments.judging import TrialJudge
    from spanloom.experiments.trials import Trials

PIECE_S = 0.2
"""Seconds after which a batch ends, to let extraction in the same process continue."""
MOST_TRIALS = 50
"""Maximum trials of a batch: one atomic INSERT stores their scores."""
AT_A_TIME = 8
"""Concurrent trials that call models."""


class Work:
    """The trials of an experiment that are not judged yet."""

    def __init__(self, judge: TrialJudge, scores: ScoreStore, trials: Trials) -> None:
        """Judge trials, and store their scores."""
        self._judge = judge
        self._scores = scores
        self._left = trials.left()

    def do_piece(self) -> int:
        """Judge some trials, and store their scores; return their number, 0 if none is left.

        If the process is killed, the scores of all these trials or of none are stored.
        """
        judged, scores = self._together() if self._judge.is_slow else self._one_by_one()
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
        return len(trials), run_concurrently(self._judge.judge, trials)
