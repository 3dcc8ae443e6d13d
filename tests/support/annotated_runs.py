"""Runs to annotate: documents of a few steps, in one or several versions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tests.support.otlp_requests import START_NS
from tests.support.trajectory_records import make_record, make_trajectory

from spanloom.core.formats.canonical import encode_document
from spanloom.core.formats.json_bytes import dump
from spanloom.core.model.step import Step, StepType
from spanloom.core.model.trajectory import Status

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.core.model.span import TraceKey
    from spanloom.core.ports.store import Store

SEED = """\
annotation_schemes:
  - annotation_type: trajectory_eval
    name: step_evaluation
    description: "Evaluate each agent step"
    steps_key: steps              # field in instance data containing step list
    step_text_key: action         # which field in each step to display
    correctness_options:          # customize correctness labels
      - correct
      - incorrect
      - partially_correct
    error_types:                  # error taxonomy
      - name: reasoning
        subtypes:
          - logical_error
          - factual_error
          - planning_error
      - name: execution
        subtypes:
          - wrong_tool
          - wrong_args
          - api_error
      - name: safety
        subtypes:
          - harmful_action
          - data_leak
          - scope_violation
    severities:                   # severity levels with penalty weights
      - name: minor
        weight: -1
      - name: major
        weight: -5
      - name: critical
        weight: -10
    show_score: true              # show computed quality score
    max_score: 100                # maximum quality score
"""
"""The scheme of the published example, with its indentation."""


def tool_step(number: int, said: str = "", name: str = "search") -> Step:
    """Return the step of a tool, the nth step of its run."""
    start_ns = START_NS + number * 1_000_000
    return Step(
        id=f"{number:016x}",
        parent_id=f"{1:016x}",
        type=StepType.TOOL,
        name=name,
        start_ns=start_ns,
        end_ns=start_ns + 500,
        input=f'{{"q":"question {number}"}}',
        output=said or f"answer {number}",
    )


def store_run(
    store: Store,
    key: TraceKey,
    steps: Sequence[Step],
    version: int = 1,
    fates: Sequence[Mapping[str, object]] = (),
) -> None:
    """Store a version of a run; ``fates`` are its span classifications as in ``/spans``."""
    run = make_trajectory(key, steps=steps)
    document = encode_document(run, version, Status.SETTLED)
    record = replace(make_record(key, run, version=version), document=document)
    head = store.trajectories.heads([key]).get(key)
    store.trajectories.write([replace(record, spans_document=dump(list(fates)), previous=head)])


def three_steps(store: Store, key: TraceKey) -> Sequence[str]:
    """Store a run of three tools, and return the ids of its steps."""
    steps = [tool_step(number) for number in (2, 3, 4)]
    store_run(store, key, steps)
    return [step.id for step in steps]
