"""``spanloom eval run``: judges runs with the evaluators in a file, and checks the file's gates."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click
import orjson

from spanloom.cli.client import patient_client_option
from spanloom.cli.datasets import parse_name
from spanloom.cli.eval_files import OutcomeFiles, load_bases, load_config
from spanloom.cli.eval_judging import JudgingRequest, Targeted, judge_all, plan_of, send_all
from spanloom.cli.exchanging import from_option
from spanloom.cli.options import TeachingCommand
from spanloom.cli.output import DOCUMENT, Form, output_option
from spanloom.client.evaluating.targets import TIMEOUT_S, command_target, http_target
from spanloom.core.errors import InvalidRequestError
from spanloom.core.showing.values import printable, shortened
from spanloom.evaluation.files.outcome import NOT_DECIDED, Strictness, conclude
from spanloom.evaluation.files.report import head_of, report_lines
from spanloom.evaluation.files.worst import describe, find_worst
from spanloom.terminal.evaluation import render_evaluation
from spanloom.terminal.output import make_console, write_json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from spanloom.client.client import Client
    from spanloom.evaluation.files.config.reading import Config
    from spanloom.evaluation.files.judging import Judgement
    from spanloom.evaluation.files.outcome import Outcome

_WORST = 10
"""Maximum items that are named on standard error or below the table."""
_PATH = click.Path(path_type=Path)


@click.command(
    "run",
    cls=TeachingCommand,
    examples=(
        "spanloom eval run eval.yaml",
        "spanloom eval run eval.yaml --runs runs.jsonl --items items.jsonl --gate",
        "spanloom eval run eval.yaml --gate --junit eval.xml --json eval.report",
        "spanloom eval run eval.yaml --send",
        "spanloom eval run eval.yaml --dataset trips@1 --target-command 'python agent.py'",
    ),
)
@click.argument("file", type=_PATH)
@click.option("--runs", "runs_file", metavar="FILE", type=_PATH, help="Judge the runs of a file.")
@from_option("--format")
@click.option(
    "--items",
    "items_file",
    metavar="FILE",
    type=_PATH,
    help="Expected values: rows of a dataset as JSON lines.",
)
@click.option(
    "--dataset",
    metavar="NAME[@VERSION]",
    help="Expected values: a dataset, by default its last version.",
)
@click.option(
    "--target-command",
    "command",
    metavar="COMMAND",
    help="Let this command answer each item, and judge the runs that it sends.",
)
@click.option(
    "--target-url",
    "url",
    metavar="URL",
    help="Let this endpoint answer each item, sent by POST, and judge the runs that it sends.",
)
@click.option(
    "--target-timeout",
    "timeout_s",
    type=click.FloatRange(0, min_open=True),
    default=TIMEOUT_S,
    show_default=True,
    metavar="SECONDS",
    help="Timeout for one answer, and for its run to settle.",
)
@click.option(
    "--repeats",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    metavar="N",
    help="Number of answers of the target to each item.",
)
@click.option(
    "--gate", "is_gate", is_flag=True, help="Exit with 1 if a gate fails, 3 if undecided."
)
@click.option(
    "--require-proof",
    "needs_proof",
    is_flag=True,
    help="A gate is undecided if its 95 % interval contains the limit.",
)
@click.option(
    "--json", "json_file", metavar="FILE", type=_PATH, help="Write the report to this file."
)
@click.option(
    "--junit", "junit_file", metavar="FILE", type=_PATH, help="Write JUnit XML to this file."
)
@click.option(
    "--markdown", "markdown_file", metavar="FILE", type=_PATH, help="Write Markdown to this file."
)
@click.option("--allow-code", "allows_code", is_flag=True, help="Run evaluators of kind python.")
@click.option("--dry-run", "is_dry", is_flag=True, help="Print what would be judged, and stop.")
@click.option("--send", "sends", is_flag=True, help="Store the results as scores of an experiment.")
@lambda command: output_option(command, DOCUMENT, {})
@patient_client_option
def run_command(
    *,
    file: Path,
    runs_file: Path | None,
    source: str | None,
    items_file: Path | None,
    dataset: str | None,
    command: str | None,
    url: str | None,
    timeout_s: float,
    repeats: int,
    is_gate: bool,
    needs_proof: bool,
    json_file: Path | None,
    junit_file: Path | None,
    markdown_file: Path | None,
    allows_code: bool,
    is_dry: bool,
    sends: bool,
    form: Form,
    client: Client,
) -> None:
    """Judge runs by the evaluators of FILE, YAML or JSON, and decide its gates.

    The runs come from --runs; otherwise `runs` of FILE selects them from a service; otherwise they
    are the runs that the items were made from. With --runs no service is used, except by --send.

    With --target-command an agent answers the items: it gets the input on standard input as JSON,
    and TRACEPARENT in its environment, by which the service finds its run. With --target-url an
    endpoint gets the input as JSON, and the header traceparent.

    Ends with 0; with --gate 1 if a gate fails and 3 if it is not decided; 3 if no service answers;
    2 for a fault of FILE or of the options; 130 after Ctrl-C. Files are written in every case but
    2.
    """
    if dataset is not None and items_file is not None:
        raise click.UsageError("--dataset and --items exclude each other")
    if command is not None and url is not None:
        raise click.UsageError("--target-command and --target-url exclude each other")
    targeted = _targeted(command, url, repeats, timeout_s)
    if targeted and (runs_file is not None or (dataset is None and items_file is None)):
        raise click.UsageError("a target answers the items of --dataset or --items")
    if repeats > 1 and targeted is None:
        raise click.UsageError("--repeats needs --target-command or --target-url")
    of_dataset = None if dataset is None else parse_name(dataset)
    written = OutcomeFiles(json_file, junit_file, markdown_file)
    read = [path for path in (file, runs_file, items_file) if path is not None]
    written.check(read)
    config = load_config(file, allows_code=allows_code)
    bases = load_bases(config, file, client)
    request = JudgingRequest(
        *(file, config, client, runs_file, source, items_file, of_dataset),
        sends=sends,
        targeted=targeted,
    )
    if is_dry:
        write_json(orjson.dumps(plan_of(request)), sys.stdout)
        return
    ended = judge_all(request)
    broken_off = ended.broken_off
    if sends and not broken_off and not ended.is_interrupted:
        broken_off = send_all(client, config, ended.judgement)
    outcome = conclude(
        config,
        ended.judgement,
        bases,
        Strictness(is_gate, needs_proof),
        broken_off=broken_off,
        is_interrupted=ended.is_interrupted,
    )
    _give(config, ended.judgement, outcome, written, form)


def _targeted(
    command: str | None, url: str | None, repeats: int, timeout_s: float
) -> Targeted | None:
    """Return the target to run on the items, if an option names one. Raises ``UsageError``."""
    try:
        if command is not None:
            return Targeted(command_target(command, timeout_s), repeats, timeout_s)
        if url is not None:
            return Targeted(http_target(url, timeout_s), repeats, timeout_s)
    except InvalidRequestError as error:
        option = "--target-url" if command is None else "--target-command"
        raise click.UsageError(f"{option}: {error}") from error
    return None


def _give(
    config: Config, judgement: Judgement, outcome: Outcome, written: OutcomeFiles, form: Form
) -> None:
    """Write the files, print the outcome, and exit with its status."""
    head = head_of(config, judgement, outcome)
    try:
        written.write(head, config, judgement, outcome)
    except click.ClickException as error:
        error.exit_code = max(NOT_DECIDED, outcome.exit_code)  # type: ignore[misc]  # as in diff.py
        raise
    if form is Form.TABLE:
        render_evaluation(head, outcome.reasons, make_console(sys.stdout))
    else:
        _write_report(head, judgement, is_lines=form is Form.JSONL)
        _print_gates(outcome)
    _print_worst(config, judgement)
    click.get_current_context().exit(outcome.exit_code)


def _write_report(head: Mapping[str, object], judgement: Judgement, *, is_lines: bool) -> None:
    if sys.stdout.isatty():
        write_json(b"".join(report_lines(head, judgement)), sys.stdout, indent=not is_lines)
        return
    sys.stdout.flush()
    for piece in report_lines(head, judgement):
        sys.stdout.buffer.write(piece.replace(b"\n", b"") if is_lines else piece)
    if is_lines:
        sys.stdout.buffer.write(b"\n")


def _print_gates(outcome: Outcome) -> None:
    """Print the gates to standard error, for people who read a log."""
    for one in outcome.decisions:
        click.echo(printable(f"{one.verdict}: {one.gate.score}: {one.reason}"), err=True)
    for reason in outcome.reasons:
        click.echo(printable(f"undecided: {reason}"), err=True)


def _print_worst(config: Config, judgement: Judgement) -> None:
    worst = find_worst(judgement, config.warn_scores, _WORST)
    for item, rows in worst.items:
        for row in rows[:_WORST]:
            result = row.result
            line = f"{item}: {result['name']} {describe(row)}: {result['rationale']}"
            click.echo(shortened(line, 300), err=True)
            for line in row.excerpts:
                click.echo(f"  {printable(line)}", err=True)
    if worst.total > len(worst.items):
        click.echo(f"and {worst.total - len(worst.items):,} more items", err=True)
