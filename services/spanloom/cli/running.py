"""The command ``spanloom``: imports a subcommand when it is used, and runs it.

Exit statuses: 0 done, or the reader of the output is gone; 1 failed, 2 invalid option, variable or
query, 3 no service answers, 130 interrupted.
"""

from __future__ import annotations

import errno
import logging
import os
import sys
import traceback
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem

from spanloom import __version__
from spanloom.cli.interrupts import INTERRUPTED, ReaderLeftError, let_go_of_output, raise_again
from spanloom.cli.origins import name_variables
from spanloom.cli.process_list import leave_process_list
from spanloom.config.loading import OptionError
from spanloom.core.errors import SpanloomError
from spanloom.core.secrets import hide
from spanloom.memory import collect_garbage_rarely

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import TracebackType


COMMANDS: Mapping[str, tuple[str, str]] = {
    "demo": ("demo:demo_command", "Show a real agent run arrive and come out as a trajectory."),
    "serve": ("processes:serve_command", "Run everything in one process."),
    "instrument": (
        "instrument:instrument_command",
        "Show how to set up a framework to send spans.",
    ),
    "list": ("lists:list_command", "List trajectories, newest first."),
    "stats": ("stats:stats_command", "Count and compare runs, or steps."),
    "fields": ("stats:fields_command", "List the fields of queries."),
    "sql": ("sql:sql_command", "Query the SQL port of a service."),
    "conversations": (
        "lists:conversations_command",
        "List conversations, newest first, or the runs of one.",
    ),
    "steps": ("steps:steps_command", "List steps of runs: model calls, tool runs."),
    "search": ("lists:search_command", "Search texts of steps."),
    "tail": ("tail:tail_command", "Follow runs as they finish."),
    "show": ("show:show_command", "Print one trajectory as a tree."),
    "diff": ("diff:diff_command", "Show what differs between two runs."),
    "compare": ("compare:compare_command", "Compare the behaviour of two sets of runs."),
    "mcp": ("mcp:mcp_command", "Let agents query runs, over the Model Context Protocol."),
    "explain": (
        "spans:explain_command",
        "Show how each span of a trace was classified, and why.",
    ),
    "spans": ("spans:spans_command", "Print the spans of a trace as they were sent."),
    "export": ("export:export_command", "Write runs, or their spans, to a file."),
    "import": ("import_:import_command", "Send files of spans, or of documents, to a service."),
    "convert": ("convert:convert_command", "Convert files of runs, without a service."),
    "annotations": (
        "annotations:annotations_group",
        "Export annotations into files, or import them.",
    ),
    "views": ("views:views_group", "List and change the saved views of the page."),
    "projects": (
        "projects:projects_command",
        "List projects, with their size, limits and retention.",
    ),
    "datasets": ("datasets:datasets_group", "Fill datasets, freeze and copy their versions."),
    "online-rules": ("online_rules:online_rules_group", "Judge runs by rules as they arrive."),
    "alerts": ("alerts:alerts_group", "Watch conditions on runs, and notify webhooks."),
    "experiments": (
        "experiments:experiments_group",
        "Judge many runs in the service, and compare the results.",
    ),
    "eval": ("eval:eval_group", "Judge runs by a file of evaluators, and compare reports."),
    "scores": ("scores:scores_group", "Export scores to files or over OTLP, or import them."),
    "collect": ("processes:collect_command", "Run only the receivers and the writer."),
    "extract": ("processes:extract_command", "Run only the extractor."),
    "api": ("processes:api_command", "Run only the API."),
    "keeper": ("processes:keeper_command", "Run only the keeper: tables, retention, deletion."),
    "replay": ("replay:replay_command", "Extract stored history again."),
    "keys": ("keys:keys_group", "Create, list and revoke the keys of a service."),
    "sql-account": (
        "sql_account:sql_account_group",
        "Create accounts of a ClickHouse server for the views.",
    ),
    "dead-letters": (
        "dead_letters:dead_letters_group",
        "List, retry, export or drop refused requests.",
    ),
    "delete": ("delete:delete_command", "Delete traces permanently."),
    "doctor": ("doctor:doctor_command", "Find problems, and show how to fix them."),
    "backup": ("backup:backup_command", "Copy a data directory, even while it is in use."),
    "restore": ("backup:restore_command", "Make a data directory from a backup."),
    "migrate": ("migrate:migrate_command", "Bring the store's tables up to date."),
    "completion": (
        "completion:completion_command",
        "Print the completion script for a shell.",
    ),
}
"""Name → its module and object in this package, and one line of help."""
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
"""Error numbers that mean a full disk, an exceeded quota or file size limit, not a bug."""


class LazyGroup(click.Group):
    """A group that imports a command only to run it or to print its own help."""

    def list_commands(self, _ctx: click.Context) -> list[str]:
        """Return the names in the order in which a new user needs them."""
        return list(COMMANDS)

    def get_command(self, _ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Load the command; for an unknown name click suggests a similar one."""
        if cmd_name not in COMMANDS:
            return None
        module, _, name = COMMANDS[cmd_name][0].partition(":")
        command = getattr(import_module(f"spanloom.cli.{module}"), name)
        assert isinstance(command, click.Command), cmd_name  # noqa: S101  # our own table
        raise_again()
        return command

    def invoke(self, ctx: click.Context) -> Any:  # as click declares it
        """Run the command; raises ``ReaderLeftError`` once the reader of its output is gone."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise ReaderLeftError from error

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Offer the commands from the table, without importing them."""
        offered = [
            CompletionItem(name, help=line)
            for name, (_, line) in COMMANDS.items()
            if name.startswith(incomplete)
        ]
        return offered + click.Command.shell_complete(self, ctx, incomplete)

    def format_commands(self, _ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the overview from the table, so that ``--help`` loads nothing."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])


@click.group(
    cls=LazyGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Start with `spanloom demo`; then `spanloom serve` and point an OpenTelemetry "
    "exporter at http://127.0.0.1:4317 (gRPC) or http://127.0.0.1:4318 (HTTP).",
)
@click.version_option(__version__, prog_name="spanloom", message="%(prog)s %(version)s")
@click.pass_context
def spanloom(ctx: click.Context) -> None:
    """OTLP spans in, agent trajectories out."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def run() -> None:
    """Run ``spanloom`` with the process's arguments and exit."""
    leave_process_list()
    sys.excepthook = _print_without_secrets
    collect_garbage_rarely()
    # gRPC's core logs to standard error; errors that matter are also raised.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    silence_driver()
    try:
        status = spanloom.main(prog_name="spanloom", standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as error:
        _name_variable(error)
        _fail(error.format_message(), error.exit_code, getattr(error, "below", ()))
    except OptionError as error:
        _fail(str(error), 2)
    except SpanloomError as error:
        _fail(str(error), 1)
    except (click.Abort, KeyboardInterrupt):
        let_go_of_output()
        sys.exit(INTERRUPTED)
    except (ReaderLeftError, BrokenPipeError):  # as in `spanloom list | head`
        let_go_of_output()
        sys.exit(0)
    except OSError as error:
        if error.errno not in _FULL:
            raise
        let_go_of_output()
        _fail(f"{error.filename or 'standard output'}: {error.strerror}", 1)
    sys.exit(status if isinstance(status, int) else 0)


def silence_driver() -> None:
    """Silence the log of ClickHouse's driver, because it also raises the errors that it logs."""
    for name in ("clickhouse_connect", "urllib3"):
        logging.getLogger(name).setLevel(logging.CRITICAL)


def _print_without_secrets(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    """Print the traceback of a bug without secrets; a server's messages may quote a request."""
    sys.stderr.write(hide("".join(traceback.format_exception(kind, error, trace))))


def _name_variable(error: click.ClickException) -> None:
    """Name the environment variable in the message if the invalid value came from it."""
    if not isinstance(error, click.BadParameter) or not error.ctx or not error.param:
        return
    name, variable = error.param.name, error.param.envvar
    if name and error.ctx.get_parameter_source(name) is ParameterSource.ENVIRONMENT:
        error.param_hint = str(variable)


def _fail(message: str, status: int, below: Sequence[str] = ()) -> None:
    line = name_variables(hide(" ".join(message.split())))
    click.echo("\n".join([f"spanloom: {line}", *below]), err=True)
    sys.exit(status)
