"""Runs the command that a user typed, and turns errors into one line.

Exit statuses: 0 done, or the reader of the output has gone; 1 failed, 2 invalid option, variable
or query, 3 no service answers, 130 interrupted.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from spanloom.cli.group import spanloom
from spanloom.cli.interrupts import INTERRUPTED, ReaderLeftError, let_go_of_output
from spanloom.config import OptionError
from spanloom.core.errors import SpanloomError
from spanloom.memory import collect_garbage_rarely

if TYPE_CHECKING:
    from collections.abc import Sequence


def run() -> None:
    """Run ``spanloom`` with the process's arguments and exit."""
    collect_garbage_rarely()
    # gRPC's core logs to standard error; errors that matter are also raised.
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")
    try:
        status = spanloom.main(prog_name="spanloom", standalone_mode=False)
        sys.stdout.flush()
    except click.ClickException as error:
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
    sys.exit(status if isinstance(status, int) else 0)


def _fail(message: str, status: int, below: Sequence[str] = ()) -> None:
    line = " ".join(message.split())
    click.echo("\n".join([f"spanloom: {line}", *below]), err=True)
    sys.exit(status)
