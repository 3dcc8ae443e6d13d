"""``spanloom eval``: judges many runs with the evaluators in a file, and compares the results."""

from __future__ import annotations

import sys

import click
import orjson

from spanloom.cli.eval_agree import agree_command
from spanloom.cli.eval_compare import compare_command
from spanloom.cli.eval_rescore import rescore_command
from spanloom.cli.eval_rules import rules_command
from spanloom.cli.eval_run import run_command
from spanloom.cli.options import TeachingCommand, TeachingGroup
from spanloom.evaluation.files.comparing import comparison_schema
from spanloom.evaluation.files.config.models import EvalFile
from spanloom.evaluation.files.items import Item
from spanloom.evaluation.files.report import report_schema
from spanloom.terminal.output import write_json

_SCHEMAS = {
    "report": report_schema,
    "compare": comparison_schema,
    "file": EvalFile.model_json_schema,
    "item": Item.model_json_schema,
}


@click.group(
    "eval",
    cls=TeachingGroup,
    examples=(
        "spanloom eval run eval.yaml",
        "spanloom eval run eval.yaml --runs runs.jsonl --gate --junit eval.xml",
        "spanloom eval compare base.report eval.report",
        "spanloom eval agree --evaluator polite --human politeness",
        "spanloom eval rescore eval.yaml --dry-run",
        "spanloom eval rules",
    ),
)
def eval_group() -> None:
    """Judge runs by a file of evaluators, decide gates, compare reports and human scores."""


@eval_group.command("schema", cls=TeachingCommand, examples=("spanloom eval schema --of file",))
@click.option(
    "--of",
    "subject",
    type=click.Choice(list(_SCHEMAS)),
    default="report",
    show_default=True,
    help="Schema of the report, of a comparison, of eval.yaml, or of a dataset item.",
)
def schema_command(subject: str) -> None:
    """Print the JSON Schema of what `eval` writes or reads."""
    write_json(orjson.dumps(_SCHEMAS[subject](), option=orjson.OPT_INDENT_2), sys.stdout)


eval_group.add_command(run_command)
eval_group.add_command(compare_command)
eval_group.add_command(agree_command)
eval_group.add_command(rescore_command)
eval_group.add_command(rules_command)
