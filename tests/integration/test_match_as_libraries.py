"""A match with ``compat`` gives the results of the installed libraries, and errors as they do."""

from __future__ import annotations

from collections import Counter
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import pytest
from agentevals.trajectory.match import create_trajectory_match_evaluator as agentevals
from openevals.trajectory.match import create_trajectory_match_evaluator as openevals
from tests.support.odd_conversations import ARGS, MODES, make_pair

import spanloom

if TYPE_CHECKING:
    from tests.support.odd_conversations import Pair

PAIRS = 2_000
RAISES = "raises"
LIBRARIES: dict[str, Any] = {"agentevals": agentevals, "openevals": openevals}


@pytest.mark.parametrize("library", LIBRARIES)
def test_answers_are_those_of_the_library(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANGSMITH_TRACING", "false")
    seen: Counter[object] = Counter()
    for seed in range(PAIRS):
        pair = make_pair(seed)
        due, ours = _theirs(library, pair), _ours(library, pair)
        assert ours == due, f"seed {seed}: {pair}"
        seen.update([due, pair.config["mode"], pair.config["args"]])
    assert min(seen[answer] for answer in (True, False, RAISES)) > PAIRS / 20
    assert min(seen[mode] for mode in (*MODES, *ARGS)) > PAIRS / 10


def _theirs(library: str, pair: Pair) -> object:
    run, reference, config = deepcopy(pair)
    evaluator = LIBRARIES[library](
        trajectory_match_mode=config["mode"],
        tool_args_match_mode=config["args"],
        tool_args_match_overrides=config.get("overrides"),
    )
    try:
        return evaluator(outputs=run, reference_outputs=reference)["score"]
    except Exception:  # the library's errors have any type
        return RAISES


def _ours(library: str, pair: Pair) -> object:
    run, reference, config = deepcopy(pair)
    evaluator = {"kind": "match", "compat": library, **config}
    [result] = spanloom.evaluate(run, evaluator, reference=reference)
    assert (run, reference) == (pair.run, pair.reference), "the messages were changed"
    if result["status"] == "ok":
        assert result["passed"] is result["value"]
        return result["value"]
    assert (result["status"], result["error_code"]) == ("error", "reference_failed")
    assert (result["value"], result["passed"]) == (None, None)
    return RAISES
