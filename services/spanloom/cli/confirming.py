"""Asks the user for confirmation before data is deleted permanently."""

from __future__ import annotations

import sys

import click


def is_confirmed(*, yes: bool) -> bool:
    """Return whether the user confirms; raises ``click.UsageError`` without a terminal."""
    if yes:
        return True
    if not sys.stdin.isatty():
        raise click.UsageError("nothing was deleted: --yes skips the confirmation")
    return click.confirm("Delete them permanently?", abort=True)
