"""The help of every command is its golden text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
from tests.support.command_output import run_command

from spanloom.cli.running import spanloom

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tests.support.goldens import Goldens


def test_help_of_every_command(goldens: Goldens) -> None:
    texts = [run_command([*path, "--help"]) for path in command_paths(spanloom)]
    goldens.check("help.txt", "\n".join(texts))


def command_paths(command: click.Command, path: Sequence[str] = ()) -> Iterator[Sequence[str]]:
    """Yield the names that lead to a command, and to each of its subcommands."""
    yield path
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from command_paths(below, (*path, name))
