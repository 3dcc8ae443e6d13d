"""The examples in help texts, by command."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from spanloom.cli.options import TeachingCommand
from spanloom.cli.running import COMMANDS, spanloom

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence


def command_of(name: str) -> TeachingCommand:
    """Return a command by its name."""
    command = spanloom.get_command(click.Context(spanloom), name)
    assert isinstance(command, TeachingCommand), name
    return command


def examples_of(name: str) -> Sequence[str]:
    """Return the lines of a command's help that show how it is used."""
    return command_of(name).examples


def all_help_examples() -> Iterator[str]:
    """Yield the examples of every command."""
    for name in COMMANDS:
        yield from examples_of(name)
