"""Calls that start, read, compare and cancel experiments, and that store evaluators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spanloom.client.request import (
    Call,
    Parameters,
    Request,
    as_object,
    as_table,
    get,
    given,
    given_members,
    segment,
    signed,
    typed,
    typed_items,
    with_json,
)
from spanloom.core.records.evaluator import EvaluatorItem, EvaluatorList
from spanloom.core.records.experiment import ExperimentItem, ExperimentList

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_PATH, _EVALUATORS = "/v1/experiments", "/v1/evaluators"
MOST = 200
"""Results per page."""


def experiments(*, project: str | None = None) -> Call[Sequence[ExperimentItem]]:
    """Return the experiments of a project by name, without their summaries."""
    return typed_items(get(_PATH, project=project), ExperimentList)


def experiment(name: str, *, project: str | None = None) -> Call[ExperimentItem]:
    """Return an experiment with the summary of its results; raises ``NotFoundError``."""
    return typed(get(_path(name), project=project), ExperimentItem)


def start_experiment(
    name: str,
    *,
    dataset: str | None = None,
    runs: Mapping[str, Any] | None = None,
    evaluators: Sequence[Mapping[str, Any] | str] | None = None,
    target: Mapping[str, Any] | None = None,
    repeats: int | None = None,
    project: str | None = None,
    annotator: str | None = None,
) -> Call[ExperimentItem]:
    """Start an experiment in the service; repeating the same request changes nothing.

    The experiment judges the items of a ``dataset`` such as ``"trips@1"``, or the stored ``runs``
    that a query selects. Raises ``ConflictError`` if the name was used with another request. ::

        client.start_experiment("trips-1.5", dataset="trips@1", evaluators=["path"])
    """
    body = given_members(
        dataset=dataset, runs=runs, evaluators=evaluators, target=target, repeats=repeats
    )
    request = with_json("PUT", _path(name), body, project=project, annotator=annotator)
    return typed(request, ExperimentItem)


def cancel_experiment(
    name: str, *, project: str | None = None, annotator: str | None = None
) -> Call[ExperimentItem]:
    """Cancel an experiment and keep its results so far; no effect if it has ended."""
    params, headers = given({"project": project}), signed(annotator)
    return typed(Request("DELETE", _path(name), params, headers), ExperimentItem)


def experiment_page(
    name: str,
    *,
    score: str | None = None,
    project: str | None = None,
    cursor: str | None = None,
) -> Call[Mapping[str, Any]]:
    """Return a page of results: ``items``, ``withheld``, ``next_cursor``."""
    path = f"{_path(name)}/results"
    request = get(path, score=score, project=project, limit=MOST, cursor=cursor)
    return Call(request, as_object)


def experiment_table(
    name: str, media_type: str, *, score: str | None = None, project: str | None = None
) -> Call[bytes]:
    """Return all results as JSON lines or as a table: CSV, Arrow or Parquet."""
    params: Parameters = {"score": score, "project": project}
    return as_table(f"{_path(name)}/results", params, media_type)


def compare_experiments(a: str, b: str, *, project: str | None = None) -> Call[Mapping[str, Any]]:
    """Compare experiment ``b`` with ``a``; return a document in the format spanloom.compare/1."""
    return Call(get(f"{_path(a)}/compare/{segment(b)}", project=project), as_object)


def evaluators(*, project: str | None = None) -> Call[Sequence[EvaluatorItem]]:
    """Return the stored evaluators of a project by name, with their versions."""
    return typed_items(get(_EVALUATORS, project=project), EvaluatorList)


def evaluator(name: str, *, project: str | None = None) -> Call[EvaluatorItem]:
    """Return a stored evaluator; raises ``NotFoundError``."""
    return typed(get(f"{_EVALUATORS}/{segment(name)}", project=project), EvaluatorItem)


def put_evaluator(
    name: str,
    config: Mapping[str, Any],
    *,
    project: str | None = None,
    annotator: str | None = None,
) -> Call[EvaluatorItem]:
    """Store an evaluator; a changed configuration becomes a new version.

    Storing the same configuration again changes nothing. ::

        client.put_evaluator("path", {"kind": "match", "mode": "in_order"})
    """
    path = f"{_EVALUATORS}/{segment(name)}"
    request = with_json("PUT", path, config, project=project, annotator=annotator)
    return typed(request, EvaluatorItem)


def _path(name: str) -> str:
    return f"{_PATH}/{segment(name)}"
