"""``spanloom completion``: the lines that enable completion in a shell."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from spanloom.cli.options import TeachingCommand

SHELLS = ("bash", "zsh", "fish")
PROGRAM, VARIABLE = "spanloom", "_SPANLOOM_COMPLETE"


@click.command(
    "completion",
    cls=TeachingCommand,
    examples=(
        "spanloom completion bash > ~/.local/share/bash-completion/completions/spanloom",
        "spanloom completion zsh > ~/.zfunc/_spanloom",
        "spanloom completion fish > ~/.config/fish/completions/spanloom.fish",
    ),
)
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion_command(ctx: click.Context, shell: str) -> None:
    """Print the script with which SHELL completes commands, options and values.

    For the current shell only: eval "$(spanloom completion bash)", or spanloom completion fish |
    source. Projects, agents, models and trace ids are those of the newest runs of the service that
    SPANLOOM_API_URL names; it also provides the fields of --where and their values.
    """
    kind = get_completion_class(shell)
    assert kind is not None, shell  # noqa: S101  # click has these three
    click.echo(kind(ctx.find_root().command, {}, PROGRAM, VARIABLE).source())
