"""Experiments whose target is a function in this process; this process also judges the runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanloom.client.evaluating.sending import rows_of
from spanloom.client.evaluating.targets import callable_target, judge_targets
from spanloom.client.transfer.datasets import list_items
from spanloom.client.transfer.scores import ServiceScores, send_scores
from spanloom.evaluation.files.items import read_item
from spanloom.evaluation.files.judging import Judgement
from spanloom.evaluation.making import make_evaluators

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from spanloom.client.client import Client
    from spanloom.core.records.dataset import DatasetItem
    from spanloom.core.records.experiment import ExperimentItem
    from spanloom.evaluation.evaluator import Evaluator

    Evaluators = Sequence[Mapping[str, Any] | str]  # mappings, or names of stored evaluators


def run_experiment(
    client: Client,
    name: str,
    dataset: str,
    *,
    target: Callable[[Any], object],
    evaluators: Evaluators | None,
    repeats: int,
    timeout_s: float,
    project: str | None,
) -> ExperimentItem:
    """See ``Client.run_experiment``."""
    named, _, number = dataset.partition("@")
    found = client.dataset(named, project=project)
    judges = _evaluators(client, evaluators or found.evaluators, project)
    judgement = Judgement(judges)
    version = int(number) if number else _last_version(found)
    for row in list_items(client, named, version=version, project=project):
        judgement.items.add(read_item(row))
    judge_targets(
        client,
        judgement,
        callable_target(target),
        repeats=repeats,
        timeout_s=timeout_s,
        project=project,
    )
    send_scores(ServiceScores(client), rows_of(judgement.rows(), judges, name), project)
    return client.experiment(name, project=project)


def _evaluators(client: Client, evaluators: Evaluators, project: str | None) -> Sequence[Evaluator]:
    """Make evaluators from mappings and stored names; raises ``InvalidEvaluatorError``."""
    return make_evaluators(
        [
            client.evaluator(one, project=project).config if isinstance(one, str) else dict(one)
            for one in evaluators
        ]
    )


def _last_version(found: DatasetItem) -> int:
    if not found.versions:
        raise ValueError(f"the dataset {found.name!r} has no version: commit it first")
    return found.versions[-1].version
