"""What an annotator still has to mark before a run is done, per kind of annotation scheme."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from spanloom.core.annotation.marks import what_is_missing
from spanloom.core.annotation.scheme_reader import read_scheme
from spanloom.core.model.annotation import NOTHING, Mark

if TYPE_CHECKING:
    from collections.abc import Mapping

HEAD = "name: s\ndescription: d\nannotation_type: "
REQUIRED = "\nrequired: true\n"
STEPS = frozenset({"a", "b"})
BOTH = {"responsible_agent": "boss", "decisive_step": "a"}


def missing(text: str, marks: Mapping[str, Mark]) -> str:
    return what_is_missing(read_scheme(HEAD + text).scheme, marks, STEPS)


def judged(*options: str) -> dict[str, Mark]:
    return {step: Mark(option) for step, option in zip("ab", options, strict=False)}


def whole(**value: Any) -> dict[str, Mark]:
    return {"": NOTHING._replace(value=value)}


@pytest.mark.parametrize(
    ("text", "marks", "told"),
    [
        ("process_reward" + REQUIRED, judged("1", "-1"), ""),
        ("process_reward" + REQUIRED, judged("-1"), "1 steps are not judged"),
        ("trajectory_eval" + REQUIRED, judged("correct", "correct"), ""),
        ("trajectory_eval" + REQUIRED, judged("correct", "incorrect"), "1 wrong ones have no sev"),
        ("trajectory_eval\nseverities: []" + REQUIRED, judged("correct", "incorrect"), ""),
        ("trajectory_eval", {}, ""),
        ("failure_attribution" + REQUIRED, whole(**BOTH), ""),
        ("failure_attribution" + REQUIRED, whole(responsible_agent="boss"), "said at which step"),
        ("failure_attribution" + REQUIRED, {}, "agent is responsible and at which step"),
        ("failure_attribution", {}, ""),
        ("trajectory_edit" + REQUIRED, whole(corrections=[{"edited": "x"}]), ""),
        (
            "trajectory_edit\nrequire_reason_on_edit: true",
            whole(corrections=[{"edited": "x"}, {"edited": "y", "reason": "z"}]),
            "1 corrections have no reason",
        ),
        ("trajectory_edit\nrequire_reason_on_edit: true", whole(corrections="odd"), ""),
        ("trajectory_edit\nrequire_reason_on_edit: true", {}, ""),
    ],
)
def test_what_is_required_is_what_the_kind_of_scheme_asks(
    text: str, marks: Mapping[str, Mark], told: str
) -> None:
    found = missing(text, marks)
    assert told in found
    assert bool(told) == bool(found)
