"""``spanloom eval rescore``: judges stored runs again whose scores are outdated."""

from __future__ import annotations

import sys
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import orjson

from spanloom.cli.client import patient_client_option
from spanloom.cli.datasets import parse_name
from spanloom.cli.eval_files import load_config
from spanloom.cli.eval_judging import JudgingRequest, begun, connected
from spanloom.cli.options import TeachingCommand
from spanloom.client.evaluating.rescoring import RescoreQuery, Rescoring
from spanloom.client.evaluating.stored import runs_at
from spanloom.client.transfer.scores import SentScores, ServiceScores, send_scores
from spanloom.core.showing.values import counted, printable
from spanloom.terminal.output import write_json

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from spanloom.client.client import Client
    from spanloom.evaluation.evaluator import Evaluator

_PATH = click.Path(path_type=Path)
_MOST_SHOWN = 20
_WORDS = {
    "fresh": "hold",
    "stale": "are stale",
    "other_version": "are of another version of their evaluator",
    "failed": "failed or were skipped",
    "no_item": "are of items that are not given: use --dataset or --items",
    "gone": "have no run any more",
}


@click.command(
    "rescore",
    cls=TeachingCommand,
    examples=(
        "spanloom eval rescore eval.yaml --dry-run",
        "spanloom eval rescore eval.yaml polite path",
        "spanloom eval rescore eval.yaml --dataset trips@1 --experiment trips",
    ),
)
@click.argument("file", type=_PATH)
@click.argument("names", metavar="[EVALUATOR]...", nargs=-1)
@click.option(
    "--items", "items_file", metavar="FILE", type=_PATH, help="Expected values: rows of a dataset."
)
@click.option("--dataset", metavar="NAME[@VERSION]", help="Expected values: a dataset.")
@click.option("--experiment", metavar="NAME", help="Only scores of this experiment.")
@click.option("--project", metavar="NAME", help="Only of this project.")
@click.option(
    "--errors", "with_errors", is_flag=True, help="Also judgements that failed or were skipped."
)
@click.option("--allow-code", "allows_code", is_flag=True, help="Run evaluators of kind python.")
@click.option("--dry-run", "is_dry", is_flag=True, help="Print what would be judged, and stop.")
@patient_client_option
def rescore_command(
    *,
    file: Path,
    names: Sequence[str],
    items_file: Path | None,
    dataset: str | None,
    allows_code: bool,
    is_dry: bool,
    client: Client,
    **filters: Any,
) -> None:
    """Judge again the runs whose scores by evaluators of FILE are stale or of another version.

    A score is stale if the contents that its evaluator read have changed since. It is of another
    version if the evaluator or its configuration has changed. The new scores are revisions of the
    old ones, in their experiments; human scores are not changed. Scores of items need the items.

    Ends with 1 if a score was refused, and with 3 if no service answers.
    """
    if dataset is not None and items_file is not None:
        raise click.UsageError("--dataset and --items exclude each other")
    config = load_config(file, allows_code=allows_code)
    of_dataset = None if dataset is None else parse_name(dataset)
    items = begun(JudgingRequest(file, config, client, None, None, items_file, of_dataset)).items
    evaluators = {one.name: one for one in config.evaluators}
    rescoring = Rescoring(RescoreQuery(evaluators, _chosen(evaluators, names), items, **filters))
    rescoring.find(client)
    with closing(runs_at(lambda: connected(client), rescoring.places())) as runs:
        rows = rescoring.judged(runs, is_dry=is_dry)
        if is_dry:
            list(rows)
            done = SentScores()
        else:
            done = send_scores(ServiceScores(client), rows)
    _print_result(rescoring, done, is_dry=is_dry)
    if done.refused_scores:
        click.get_current_context().exit(1)


def _chosen(evaluators: Mapping[str, Evaluator], names: Sequence[str]) -> Sequence[str]:
    """Return the names of evaluators, by default all; raises ``click.UsageError``."""
    for name in names:
        if name not in evaluators:
            raise click.UsageError(
                f"{printable(name)}: no evaluator of the file; it has {', '.join(evaluators)}"
            )
    return list(names or evaluators)


def _print_result(rescoring: Rescoring, done: SentScores, *, is_dry: bool) -> None:
    counts = {name: rescoring.counts[name] for name in _WORDS}
    if not sys.stdout.isatty():
        result = {"dry_run": is_dry, "runs": rescoring.runs, **counts, **asdict(done)}
        write_json(orjson.dumps(result), sys.stdout, indent=False)
    else:
        for name, words in _WORDS.items():
            if counts[name]:
                click.echo(f"{counts[name]:,} {words}")
        stored = (
            "would be judged again" if is_dry else f"judged again, {done.stored:,} scores stored"
        )
        click.echo(f"{counted(rescoring.runs, 'run')} {stored}")
    for one in done.refused[:_MOST_SHOWN]:
        click.echo(f"  {printable(one['place'])}: {printable(one['reason'])}", err=True)
