"""The fingerprint of an evaluator's input changes with that input, and with nothing else."""

from __future__ import annotations

import copy
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from tests.support.made_runs import made_run

from spanloom.core.document import Document
from spanloom.evaluation.contract.view import (
    WHOLE,
    Part,
    named_fingerprint,
    view_fingerprint,
    view_named_in,
)

if TYPE_CHECKING:
    from collections.abc import Callable

RUN = made_run(1, Random(1))


def changed(change: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    copied = copy.deepcopy(RUN)
    change(copied)
    return copied


def step(run: dict[str, Any]) -> Any:
    return run["agent_steps"][0]["steps"][1]


CHANGES: dict[Part, Callable[[dict[str, Any]], None]] = {
    Part.TYPES: lambda run: step(run).update(type="graph"),
    Part.NAMES: lambda run: step(run).update(name="another"),
    Part.IDS: lambda run: step(run).update(id="f" * 16),
    Part.PARENTS: lambda run: step(run).update(parent_id=run["agent_steps"][0]["steps"][0]["id"]),
    Part.INPUTS: lambda run: step(run).update(input="another"),
    Part.ARGUMENTS: lambda run: step(run).update(input="another"),
    Part.OUTPUTS: lambda run: step(run).update(output="another"),
    Part.ERRORS: lambda run: step(run)["basic_info"].update(error={"code": 1, "msg": "x"}),
    Part.TIMES: lambda run: step(run)["basic_info"].update(duration="77"),
    Part.TOKENS: lambda run: step(run).update(model_info={"input_tokens": 7}),
    Part.METADATA: lambda run: step(run).update(metadata={"tier": "gold"}),
    Part.RUN: lambda run: run["extraction"].update(outcome="paused"),
}


@pytest.mark.parametrize("part", Part)
def test_a_change_of_what_is_read_changes_it(part: Part) -> None:
    before, after = (
        {one: view_fingerprint(Document(run), {one}) for one in Part}
        for run in (RUN, changed(CHANGES[part]))
    )
    assert before[part] != after[part]
    others = {Part.INPUTS, Part.ARGUMENTS, Part.IDS, Part.PARENTS, Part.TYPES, part}
    assert {one for one in Part if before[one] != after[one]} <= others


@pytest.mark.parametrize("name", ["version", "extractor_version", "span_count", "project"])
def test_a_build_of_the_same_run_keeps_it(name: str) -> None:
    rebuilt = changed(lambda run: run["extraction"].update({name: "9"}))
    assert view_fingerprint(Document(rebuilt), WHOLE) == view_fingerprint(Document(RUN), WHOLE)


@pytest.mark.parametrize("view", [WHOLE, {Part.NAMES, Part.TYPES}, set()])
def test_a_fingerprint_names_the_view_that_it_is_of(view: set[Part]) -> None:
    made = named_fingerprint(Document(RUN), view)
    assert view_named_in(made) == view
    assert made.endswith(view_fingerprint(Document(RUN), view))


@pytest.mark.parametrize("text", ["", "ff", "1:names", "2:names:ff", "1:colours:ff", "1:names:"])
def test_a_fingerprint_of_others_names_none(text: str) -> None:
    assert view_named_in(text) is None
