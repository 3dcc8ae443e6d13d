"""``spanloom experiments``: starts, lists, compares and cancels experiments of a service."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from spanloom.cli.client import (
    annotator_option,
    client_option,
    patient_client_option,
    project_option,
)
from spanloom.cli.eval_files import FileError, load_written
from spanloom.cli.options import TeachingCommand, TeachingGroup
from spanloom.cli.output import (
    Form,
    columns_option,
    document_output,
    give_document,
    give_rows,
    rows_output,
)
from spanloom.client.transfer.experiments import list_results
from spanloom.evaluation.files.config.text import ConfigError
from spanloom.terminal.evaluation import render_comparison
from spanloom.terminal.experiments import render_experiment, render_experiments, render_results
from spanloom.terminal.live import Counting

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from spanloom.client.client import Client
    from spanloom.core.records.experiment import ExperimentItem

Command = TypeVar("Command", bound="Callable[..., None]")
_LOOK_S = 1.0
_FAILED = 1


@click.group(
    "experiments",
    cls=TeachingGroup,
    examples=(
        "spanloom experiments list",
        "spanloom experiments start trips-1.5 eval.yaml --dataset trips@1 --wait",
        "spanloom experiments show trips-1.5",
        "spanloom experiments results trips-1.5 --score path --csv",
        "spanloom experiments compare trips-1.4 trips-1.5",
        "spanloom experiments cancel trips-1.5",
    ),
)
def experiments_group() -> None:
    """Judge many runs in the service, and compare the results.

    An experiment judges the items of a dataset, or stored runs, in the background. Its results are
    scores. `spanloom eval run` judges on this machine instead, and decides gates.
    """


@experiments_group.command("list", cls=TeachingCommand)
@project_option
@columns_option
@rows_output
@client_option
def list_command(
    *, project: str | None, columns: Sequence[str], form: Form, client: Client
) -> None:
    """List the experiments of a project by name."""
    rows = (one.model_dump(mode="json") for one in client.experiments(project=project))
    give_rows(rows, render_experiments, form=form, columns=columns)


@experiments_group.command("show", cls=TeachingCommand)
@click.argument("name")
@project_option
@document_output
@client_option
def show_command(*, name: str, project: str | None, form: Form, client: Client) -> None:
    """Show an experiment: its progress, and the summary of its results."""
    _give(client.experiment(name, project=project), form)


@experiments_group.command("start", cls=TeachingCommand)
@click.argument("name")
@click.argument("file", type=click.Path(path_type=Path), required=False)
@click.option("--dataset", metavar="NAME[@VERSION]", help="Judge the items of this dataset.")
@click.option(
    "--evaluator",
    "named",
    metavar="NAME",
    multiple=True,
    help="A stored evaluator; may be given several times.",
)
@click.option(
    "--repeats", type=click.IntRange(1), metavar="N", help="Number of tries of each item."
)
@click.option(
    "--wait", "waits", is_flag=True, help="Wait for its end; exit with 1 unless it is done."
)
@project_option
@annotator_option
@document_output
@patient_client_option
def start_command(
    *,
    name: str,
    file: Path | None,
    dataset: str | None,
    named: Sequence[str],
    repeats: int | None,
    waits: bool,
    project: str | None,
    annotator: str | None,
    form: Form,
    client: Client,
) -> None:
    """Start an experiment; starting the same again changes nothing.

    FILE defines what to judge, in YAML or JSON: `evaluators`, `runs` or `dataset`, `repeats`. A
    file of `eval run` works too, without its gates. Options override the file.
    """
    request = {} if file is None else _read(file)
    if isinstance(request.get("runs"), dict):
        project = request["runs"].pop("project", None) if project is None else project
    if dataset is not None:
        request = {**request, "dataset": dataset}
        request.pop("runs", None)
    if named:
        request["evaluators"] = [*request.get("evaluators", ()), *named]
    if repeats is not None:
        request["repeats"] = repeats
    if not request:
        raise click.UsageError("name what to judge: FILE, or --dataset and --evaluator")
    experiment = client.start_experiment(name, **request, project=project, annotator=annotator)
    if waits:
        experiment = _awaited(client, experiment)
    _give(experiment, form)
    if waits and experiment.status != "done":
        click.get_current_context().exit(_FAILED)


@experiments_group.command("results", cls=TeachingCommand)
@click.argument("name")
@click.option("--score", metavar="NAME", help="Only of this score.")
@project_option
@columns_option
@rows_output
@patient_client_option
def results_command(
    *,
    name: str,
    score: str | None,
    project: str | None,
    columns: Sequence[str],
    form: Form,
    client: Client,
) -> None:
    """List the results of an experiment, by item, repeat, evaluator and score."""
    rows = (dict(row) for row in list_results(client, name, score=score, project=project))
    give_rows(rows, render_results, form=form, columns=columns)


@experiments_group.command("compare", cls=TeachingCommand)
@click.argument("a")
@click.argument("b")
@project_option
@document_output
@patient_client_option
def compare_command(*, a: str, b: str, project: str | None, form: Form, client: Client) -> None:
    """Compare two experiments, B against A, on the items that both have.

    `spanloom eval compare` does the same, also with reports. Ends with 0 whatever differs.
    """
    compared = dict(client.compare_experiments(a, b, project=project))
    give_document(compared, render_comparison, form=form)


@experiments_group.command("cancel", cls=TeachingCommand)
@click.argument("name")
@project_option
@annotator_option
@document_output
@client_option
def cancel_command(
    *, name: str, project: str | None, annotator: str | None, form: Form, client: Client
) -> None:
    """Stop an experiment; its results stay."""
    _give(client.cancel_experiment(name, project=project, annotator=annotator), form)


def _read(path: Path) -> dict[str, Any]:
    """Return the request in a file; raises ``click.ClickException``."""
    value, places = load_written(path)
    if not isinstance(value, dict):
        raise FileError(path, ConfigError([places.fault("", "it is no mapping")]))
    return {key: value[key] for key in _TAKEN if key in value}


_TAKEN = ("dataset", "runs", "evaluators", "target", "repeats")
"""The members of a file that are sent; name, gates and error limits are for `eval run`."""


def _awaited(client: Client, experiment: ExperimentItem) -> ExperimentItem:
    with Counting(sys.stderr, "runs judged", experiment.total or None) as counting:
        while experiment.status == "running":
            time.sleep(_LOOK_S)
            experiment = client.experiment(experiment.name, project=experiment.project)
            counting.show(
                experiment.done,
                done=experiment.done / experiment.total if experiment.total else None,
            )
    return experiment


def _give(experiment: ExperimentItem, form: Form) -> None:
    document = experiment.model_dump(mode="json")
    give_document(document, render_experiment, form=form)
